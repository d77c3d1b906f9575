// The groups of nodes that a node set means on a machine. Maui Sect. IV (node sets), scheduling.md
// (node sets).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/node_set.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"

namespace muster::plan {

struct NodeGroup {
  std::shared_ptr<const std::vector<bool>> nodes;
  std::string name;   // for people: "speed=80%", "mhz=500-550", "rack=b"
  uint32_t wish = 0;  // its place among the set's values, where they are an order; else 0
  int64_t value = 0;  // its least number; 0 for words
};

struct NodeGroups {
  std::vector<NodeGroup> all;  // at most kSetGroups
  // By node: its number, where the attribute is numbers; null: a node counts by its speed.
  std::shared_ptr<const std::vector<int64_t>> numbers;
  std::optional<Why> none;  // why there is no group here
};

// `among`: the nodes that count. REQUIRES: the set is not IsOneSwitch.
NodeGroups GroupsOn(const NodeSet& set, const machine::Machine& machine,
                    const std::vector<bool>& among);

}  // namespace muster::plan
