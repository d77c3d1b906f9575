// The sites' own planners say whether an empty machine has a place for a set, so a job gets one
// exactly if a daemon would take it.
#include "sim/replay/node_set_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "base/node_set.h"
#include "base/random.h"
#include "base/text/node_set.h"
#include "partitioner/split.h"
#include "sim/replay/node_speeds.h"
#include "sim/replay/site_text.h"
#include "site/planning/planner.h"

namespace muster::sim {
namespace {

constexpr uint32_t kAllJobs = 1000;
constexpr char kOneMachine[] = ":oneof";
// Told apart from other draws of the same seed.
constexpr uint64_t kBalancedDraw = 0x62616c616e636564;
constexpr uint64_t kPartitionDraw = 0x706172746974696f;
constexpr uint64_t kOrderDraw = 0x6f72646572;

// Empty machines, asked whether they could ever place a job.
class EmptyMachines {
 public:
  explicit EmptyMachines(const std::vector<ReplaySite>& sites) : sites_(sites) {
    for (const ReplaySite& site : sites) planners_.emplace_back(site.site);
  }

  // True if some site could place the job with this set. REQUIRES: it has one part.
  bool CouldTake(const FederationJob& job, const std::string& set) {
    const auto known = could_.find({set, job.Processors(), job.only});
    if (known != could_.end()) return known->second;
    FederationJob asks = job;
    asks.set = set;
    const schemas::RequestSpec spec = SpecOf(asks, sites_);
    bool could = false;
    for (size_t site = 0; site < planners_.size() && !could; ++site) {
      could = (!job.only || *job.only == site) && Fits(planners_[site], spec, sites_[site].site);
    }
    could_[{set, job.Processors(), job.only}] = could;
    return could;
  }

 private:
  static bool Fits(site::SitePlanner& planner, const schemas::RequestSpec& spec,
                   const site::Options& options) {
    const Instant start = Instant{0} + options.facts.turnover;
    const verifier::Demand demand{.parts = {partitioner::DemandOf(spec, 1, Span{0})},
                                  .who = {.user = "anyone"},
                                  .allowed = IntervalSet::Only(start)};
    const Fence fence{{1}, 1};
    const auto answer = planner.Book(fence, demand, Instant{0}, std::nullopt);
    if (!std::holds_alternative<verifier::Booked>(answer)) return false;
    planner.Free(fence);
    return true;
  }

  const std::vector<ReplaySite>& sites_;
  std::vector<site::SitePlanner> planners_;
  std::map<std::tuple<std::string, int64_t, std::optional<size_t>>, bool> could_;
};

void Mix(std::vector<ReplaySite>& sites, uint64_t seed) {
  Random random(seed ^ kOrderDraw);
  for (ReplaySite& site : sites) {
    std::vector<site::Node>& nodes = site.site.nodes;
    for (size_t left = nodes.size(); left > 1; --left) {
      std::swap(nodes[left - 1], nodes[random.Below(left)]);
    }
  }
}

// A set with one group for each speed, and what its nodes do together, in thousandths.
using SpeedClasses = std::vector<std::pair<std::string, uint64_t>>;
SpeedClasses ClassesOf(const std::vector<ReplaySite>& sites) {
  std::map<int64_t, uint64_t> powers;
  for (const ReplaySite& site : sites) {
    for (const site::Node& node : site.site.nodes) {
      powers[node.speed] += static_cast<uint64_t>(node.resources.Get("ncpus") * node.speed);
    }
  }
  SpeedClasses out;
  for (const auto& [speed, power] : powers) {
    const NodeSet set{.attribute = kSpeedAttribute, .values = {text::SpeedText(speed)}};
    out.emplace_back(text::NodeSetText(set), power);
  }
  return out;
}

// The set of a partition that is enough for the job; "" if none is.
std::string DrawPartition(const FederationJob& job, const SpeedClasses& classes,
                          EmptyMachines& machines, Random& random) {
  SpeedClasses enough;
  uint64_t sum = 0;
  for (const auto& [set, power] : classes) {
    if (!machines.CouldTake(job, set)) continue;
    enough.emplace_back(set, power);
    sum += power;
  }
  uint64_t drawn = random.Below(std::max<uint64_t>(sum, 1));  // one number for each job
  for (const auto& [set, power] : enough) {
    if (drawn < power) return set;
    drawn -= power;
  }
  return "";
}

absl::Status Check(const NodeSetRules& rules, const std::vector<ReplaySite>& sites,
                   const FederationWorkload& workload) {
  const bool speeds = HaveSpeeds(sites);
  if (!speeds && (rules.balanced != kAllJobs || rules.placing != PlacingRule::kFastest)) {
    return InvalidArgument(
        "balanced jobs and another placing than fastest need nodes of several speeds, as in "
        "icebox=speeds:40x120%,76x80%");
  }
  if (!rules.set.empty() && rules.placing != PlacingRule::kFastest) {
    return InvalidArgument("set '" + rules.set + "' and a placing that knows no sets: one of them");
  }
  const bool split = std::any_of(workload.jobs.begin(), workload.jobs.end(),
                                 [](const FederationJob& job) { return job.parts.size() > 1; });
  if (split && (speeds || !rules.set.empty())) {
    return InvalidArgument(
        "co-allocations on nodes of several speeds or with a set: a replay does not know how long "
        "parts at several sites wait for each other");
  }
  if (rules.set.empty()) return absl::OkStatus();
  const Diagnosed<NodeSet> set = text::ParseNodeSet(rules.set);
  if (set.ok()) return absl::OkStatus();
  const std::vector<std::string>& help = set.diagnostic().help;
  return InvalidArgument("set '" + rules.set + "': " + set.diagnostic().message +
                         (help.empty() ? "" : "; " + help.front()));
}

}  // namespace

absl::StatusOr<PlacingRule> ParsePlacing(std::string_view text) {
  if (text == "fastest") return PlacingRule::kFastest;
  if (text == "random") return PlacingRule::kRandom;
  if (text == "partitions") return PlacingRule::kPartitions;
  return InvalidArgument("placing '" + std::string(text) +
                         "'; there are fastest, random, partitions");
}

absl::Status GiveSets(const NodeSetRules& rules, std::vector<ReplaySite>& sites,
                      FederationWorkload& workload) {
  MUSTER_RETURN_IF_ERROR(Check(rules, sites, workload));
  if (rules.None()) return absl::OkStatus();
  if (rules.placing == PlacingRule::kRandom) Mix(sites, rules.seed);
  Random balanced(rules.seed ^ kBalancedDraw);
  Random partition(rules.seed ^ kPartitionDraw);
  EmptyMachines machines(sites);
  const SpeedClasses classes = ClassesOf(sites);
  bool given = false;
  for (FederationJob& job : workload.jobs) {
    job.balanced = balanced.Chance(rules.balanced);
    std::string wanted = job.balanced ? rules.set : "";
    if (rules.placing == PlacingRule::kRandom) wanted = std::string(kMachineProperty) + kOneMachine;
    if (rules.placing == PlacingRule::kPartitions) {
      job.set = DrawPartition(job, classes, machines, partition);
      workload.counts.without_set += job.set.empty() ? 1 : 0;
      continue;
    }
    if (wanted.empty()) continue;
    if (machines.CouldTake(job, wanted)) {
      job.set = wanted;
      given = true;
    } else {
      ++workload.counts.without_set;
    }
  }
  if (!rules.set.empty() && !given) {
    return InvalidArgument("set '" + rules.set + "': the nodes have no group for any balanced job");
  }
  return absl::OkStatus();
}

}  // namespace muster::sim
