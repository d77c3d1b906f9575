// Implicit voting: users vote for a packing algorithm by what they submit. Each extraction asks two
// questions. Are the machines saturated, which means that too many requests of the block cannot
// start at once? Are the requests of the block and all that came since the last vote mostly
// interactive or mostly batch? Both answers have hysteresis, so that the algorithm does not flap
// near the middle. CCS Sect. 3.3, scheduling.md section 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/search/packing/algorithm.h"

namespace muster::packing {

// Counts of an extraction.
struct Ballot {
  size_t requests = 0;     // in the block
  size_t delayed = 0;      // of those, how many FCFS* cannot start within kAtOnce
  size_t votes = 0;        // each job once, at most kVotesPerUser of a user
  size_t interactive = 0;  // of the votes
  RequestId newest;        // newest counted job
};
inline constexpr Span kAtOnce{60};
inline constexpr size_t kVotesPerUser = 8;
// Maximum number of jobs since the last vote that are looked at: enough for a clear majority, and
// few enough to be counted in every forward run.
inline constexpr size_t kNewVoters = 1000;

// The voter of a request.
struct Voter {
  std::string user;
  RequestId job;  // of an array element: the array
  bool interactive = false;
};
// Counts a block with `delayed` delayed requests, and the arrivals since the last vote, which may
// be in the block too. A user with more jobs than votes casts them in proportion to the jobs.
Ballot BallotOf(const std::vector<Voter>& block, const std::vector<Voter>& came, size_t delayed);

struct Vote {
  Algorithm algorithm = Algorithm::kFcfsStar;
  double saturated = 0;    // share of delayed requests
  double interactive = 0;  // share of interactive votes
  std::string why;         // "saturated: 71 % of the block cannot start in 60 s"
};

class Voting {
 public:
  Voting() = default;
  // The stored state.
  Voting(bool saturated, std::optional<Algorithm> leaning, RequestId counted)
      : saturated_(saturated), leaning_(leaning), counted_(counted) {}

  // Evaluates a ballot. REQUIRES: requests and votes above 0, and no part above its whole.
  Vote Count(const Ballot& ballot);

  bool saturated() const { return saturated_; }
  // The choice of the last saturated vote; none if there was none.
  std::optional<Algorithm> leaning() const { return leaning_; }
  // The newest job counted; later jobs have not voted. Never decreases.
  RequestId counted() const { return counted_; }

 private:
  bool saturated_ = false;
  std::optional<Algorithm> leaning_;
  RequestId counted_;
};

}  // namespace muster::packing
