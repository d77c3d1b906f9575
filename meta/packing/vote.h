// Implicit voting: users vote for a packing algorithm by what they submit. The requests that
// extraction takes are asked two things: can they start at once (the machines are not saturated),
// and are they mostly interactive or mostly batch. Both answers have hysteresis, so that a mixture
// near the middle does not make the algorithm flap. CCS Sect. 3.3, scheduling.md section 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/packing/algorithm.h"
#include "meta/packing/packing.h"

namespace muster::packing {

// What was counted over the requests of a block.
struct Ballot {
  size_t requests = 0;
  size_t delayed = 0;      // of them, that FCFS* cannot start within kAtOnce
  size_t votes = 0;        // arrays count once, a user at most kVotesPerUser times
  size_t interactive = 0;  // of the votes
};
inline constexpr Span kAtOnce{60};
inline constexpr size_t kVotesPerUser = 8;

// Who votes with a request.
struct Voter {
  std::string user;
  std::optional<RequestId> array;  // that it is an element of
  bool interactive = false;
};
// What the requests of a block say, entry by entry, where FCFS* would start them.
Ballot BallotOf(const std::vector<Voter>& voters, Instant now, const Schedule& at_earliest);

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
  Voting(bool saturated, std::optional<Algorithm> leaning)
      : saturated_(saturated), leaning_(leaning) {}

  // One evaluation. REQUIRES: requests and votes are not 0, no part is above its whole.
  Vote Count(const Ballot& ballot);

  bool saturated() const { return saturated_; }
  // What the last saturated vote chose; none if there was none.
  std::optional<Algorithm> leaning() const { return leaning_; }

 private:
  bool saturated_ = false;
  std::optional<Algorithm> leaning_;
};

}  // namespace muster::packing
