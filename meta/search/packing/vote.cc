// Two switches, each with a dead band.
#include "meta/search/packing/vote.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/check.h"

namespace muster::packing {
namespace {

constexpr double kSaturatedAbove = 0.5;
constexpr double kUnsaturatedBelow = 0.25;
constexpr double kInteractiveAbove = 0.55;
constexpr double kBatchBelow = 0.45;
constexpr double kFirstInteractiveFrom = 0.5;

double Share(size_t part, size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string Percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

// Jobs and votes by user. Each job counts once.
class Count {
 public:
  void Add(const Voter& voter) {
    if (!jobs_.insert(voter.job).second) return;
    Jobs& jobs = by_user_[voter.user];
    ++jobs.all;
    if (voter.interactive) ++jobs.interactive;
  }

  void PutInto(Ballot& ballot) const {
    for (const auto& [user, jobs] : by_user_) {
      const size_t votes = std::min(jobs.all, kVotesPerUser);
      ballot.votes += votes;
      ballot.interactive += (2 * jobs.interactive * votes + jobs.all) / (2 * jobs.all);
    }
    if (!jobs_.empty()) ballot.newest = *jobs_.rbegin();
  }

 private:
  struct Jobs {
    size_t all = 0;
    size_t interactive = 0;
  };
  std::map<std::string, Jobs> by_user_;
  std::set<RequestId> jobs_;
};

}  // namespace

Ballot BallotOf(const std::vector<Voter>& block, const std::vector<Voter>& came, size_t delayed) {
  Ballot out{.requests = block.size(), .delayed = delayed};
  Count count;
  for (const Voter& voter : block) count.Add(voter);
  for (const Voter& voter : came) count.Add(voter);
  count.PutInto(out);
  return out;
}

Vote Voting::Count(const Ballot& ballot) {
  MUSTER_CHECK(ballot.requests > 0 && ballot.votes > 0);
  MUSTER_CHECK(ballot.delayed <= ballot.requests && ballot.interactive <= ballot.votes);
  Vote out;
  out.saturated = Share(ballot.delayed, ballot.requests);
  out.interactive = Share(ballot.interactive, ballot.votes);
  counted_ = std::max(counted_, ballot.newest);
  saturated_ = saturated_ ? out.saturated >= kUnsaturatedBelow : out.saturated > kSaturatedAbove;
  if (!saturated_) {
    out.why = "not saturated";
    return out;
  }
  if (out.interactive > kInteractiveAbove) {
    leaning_ = Algorithm::kFfihStar;
  } else if (out.interactive < kBatchBelow) {
    leaning_ = Algorithm::kFfdhStar;
  } else if (!leaning_) {
    leaning_ =
        out.interactive >= kFirstInteractiveFrom ? Algorithm::kFfihStar : Algorithm::kFfdhStar;
  }
  out.algorithm = *leaning_;
  out.why = "saturated: " + Percent(out.saturated) + " of the block cannot start in 60 s";
  return out;
}

}  // namespace muster::packing
