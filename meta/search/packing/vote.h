// Implicit voting: users vote for a packing algorithm by what they submit. At an extraction two
// things are asked: can the requests of the block start at once (the machines are not saturated),
// and are those of the block and all that came since the last vote mostly interactive or mostly
// batch. Both answers have hysteresis, so that a mixture near the middle does not make the
// algorithm flap. CCS Sect. 3.3, scheduling.md section 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/search/packing/algorithm.h"

namespace muster::packing {

// What was counted at an extraction.
struct Ballot {
  size_t requests = 0;     // of the block
  size_t delayed = 0;      // of them, that FCFS* cannot start within kAtOnce
  size_t votes = 0;        // each job once, a user at most kVotesPerUser times
  size_t interactive = 0;  // of the votes
  RequestId newest;        // of the jobs that were counted
};
inline constexpr Span kAtOnce{60};
inline constexpr size_t kVotesPerUser = 8;
// Of those that came since the last vote the newest so many count: enough to know a majority, few
// enough to be counted for every forward run.
inline constexpr size_t kNewVoters = 1000;

// Who votes with a request.
struct Voter {
  std::string user;
  RequestId job;  // of an element its array
  bool interactive = false;
};
// What the requests of a block say, of which so many are delayed, and those that came since the
// last vote, in the block or not. A user with more jobs than votes casts them in the proportion of
// the jobs.
Ballot BallotOf(const std::vector<Voter>& block, const std::vector<Voter>& came, size_t delayed);

struct Vote {
  Algorithm algorithm = Algorithm::kFcfsStar;
  double saturated = 0;    // share of requests that are delayed
  double interactive = 0;  // share of votes
  std::string why;         // "saturated: 71 % of the block cannot start in 60 s"
};

class Voting {
 public:
  Voting() = default;
  // As it was when it was stored.
  Voting(bool saturated, std::optional<Algorithm> leaning, RequestId counted)
      : saturated_(saturated), leaning_(leaning), counted_(counted) {}

  // One evaluation. REQUIRES: requests and votes are not 0, no part is above its whole.
  Vote Count(const Ballot& ballot);

  bool saturated() const { return saturated_; }
  // What the last saturated vote chose; none if there was none.
  std::optional<Algorithm> leaning() const { return leaning_; }
  // The newest job that was counted: whoever came later has not voted yet. It never goes back.
  RequestId counted() const { return counted_; }

 private:
  bool saturated_ = false;
  std::optional<Algorithm> leaning_;
  RequestId counted_;
};

}  // namespace muster::packing
