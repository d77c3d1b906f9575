// Two switches with a dead band each.
#include "meta/packing/vote.h"

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

}  // namespace

Ballot BallotOf(const std::vector<Voter>& voters, Instant now, const Schedule& at_earliest) {
  MUSTER_CHECK(voters.size() == at_earliest.size());
  Ballot out{.requests = voters.size()};
  std::map<std::string, size_t> votes_of;
  std::set<RequestId> arrays;
  for (size_t i = 0; i < voters.size(); ++i) {
    const auto& place = at_earliest[i];
    if (!place || place->start > now + kAtOnce) ++out.delayed;
    if (voters[i].array && !arrays.insert(*voters[i].array).second) continue;
    if (++votes_of[voters[i].user] > kVotesPerUser) continue;
    ++out.votes;
    if (voters[i].interactive) ++out.interactive;
  }
  return out;
}

Vote Voting::Count(const Ballot& ballot) {
  MUSTER_CHECK(ballot.requests > 0 && ballot.votes > 0);
  MUSTER_CHECK(ballot.delayed <= ballot.requests && ballot.interactive <= ballot.votes);
  Vote out;
  out.saturated = Share(ballot.delayed, ballot.requests);
  out.interactive = Share(ballot.interactive, ballot.votes);
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
