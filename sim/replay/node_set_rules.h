// Who asks for which nodes in a replay on nodes of several speeds: which jobs are balanced, the
// node set that these ask for, and the baselines that know no sets. Maui Sect. IV (node sets);
// docs/experiments.md (Node sets).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sim/replay/federation_workload.h"

namespace muster::sim {

// Where jobs go that ask for no set.
enum class PlacingRule : uint8_t {
  // As a site does: of the nodes that start a job as early, the fastest ones.
  kFastest,
  // Without regard to speeds: the first free nodes in an order drawn from the seed. All nodes of a
  // machine are one group to each job, which is booked for the slowest of them.
  kRandom,
  // On nodes of one speed each, drawn from the seed in proportion to what these do together, among
  // those that are enough for it: each speed is a partition of the machine.
  kPartitions,
};

struct NodeSetRules {
  uint32_t balanced = 1000;  // per 1,000: jobs whose processes wait for each other
  std::string set;           // what these ask for, "speed:oneof:best"; "": no set
  PlacingRule placing = PlacingRule::kFastest;
  uint64_t seed = 1;

  bool None() const { return balanced == 1000 && set.empty() && placing == PlacingRule::kFastest; }
};

// Parses "fastest", "random" or "partitions". Errors: any other text.
absl::StatusOr<PlacingRule> ParsePlacing(std::string_view text);

// Draws who is balanced and gives each job its set; for `kRandom` mixes the order of the sites'
// nodes. A job is drawn alike whatever the share is, so a larger one keeps who was balanced. A job
// that is wider than each group of a set, so that empty sites could not place it, gets none and is
// counted. Errors: nodes of several speeds and jobs of several parts; a text that is no set; a set
// that no job could get; a set and another placing than `kFastest`; a rule that needs several
// speeds where all nodes are alike.
absl::Status GiveSets(const NodeSetRules& rules, std::vector<ReplaySite>& sites,
                      FederationWorkload& workload);

}  // namespace muster::sim
