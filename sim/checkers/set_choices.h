// What a node set may mean on the nodes of a site, and how long a part is booked for each choice.
// Written from scheduling.md (node sets) without code of the planner, so that it cannot repeat the
// planner's mistakes. Maui Sect. IV (node sets).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/node_set.h"
#include "sim/plan_checker/facts.h"
#include "site/options.h"

namespace muster::sim {

// Nodes that a part may be on, as bits by place in the list of nodes, and the speed by which it is
// then booked: that of the slowest of them that could host a chunk set of it.
struct NodeChoice {
  uint32_t nodes = UINT32_MAX;
  int64_t speed = kFullSpeed;
  bool operator==(const NodeChoice&) const = default;
};

struct SetChoices {
  // One choice is made for this part alone: its groups. Otherwise `all` are levels of speed, the
  // fastest first, and all such parts of an order have one level.
  bool groups = false;
  std::vector<NodeChoice> all;
};

// The set by which the site places a part that asks for `asked` (text; "": none). Sites choose for
// no reservation, and for nothing that runs inside of one.
std::optional<NodeSet> SetAt(const site::Options& site, const std::string& asked, bool reserved);

// The choices of a part. `has`: what each node has. `by_clock`: the part lasts as long on any node.
// Sets over switches are only taken as one switch (which the plan checker judges).
// REQUIRES: at most 32 nodes.
SetChoices ChoicesOf(const std::optional<NodeSet>& set, bool by_clock,
                     const std::vector<WantedChunk>& wanted, const std::vector<NodeFacts>& nodes,
                     const std::vector<ResourceSet>& has);

// The choices of the parts of an order together, one of each part: the product of the groups of
// those that have some, with one level of speed for all others.
std::vector<std::vector<NodeChoice>> TogetherOf(const std::vector<SetChoices>& parts);

// How much later than its earliest start a part may start for the sake of its set.
Span WaitOf(const std::optional<NodeSet>& set);

}  // namespace muster::sim
