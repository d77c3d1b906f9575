// Enumerates all placings of parts at a site beside what is booked there, by trying every node for
// every chunk set. An independent mapper for small machines. It judges single nodes (amounts,
// properties) and how a part is spread; the plan checker judges the site's rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"
#include "sim/plan_checker/facts.h"
#include "site/machine/layout.h"

namespace muster::sim {

// Largest machine, in nodes, since every placing is tried.
inline constexpr size_t kPlacedNodes = 6;
// Largest number of placings per call; with several parts at a site the numbers multiply. Placings
// beyond it are ignored, which can only hide a finding.
inline constexpr size_t kPlacings = 2000;

// An amount of a node that is taken for a time. Of the bookings of one chain at most one runs: a
// chain counts as the maximum of its bookings.
struct Occupied {
  Interval span;
  ResourceSet amounts;
  std::string chain;
  std::string order;
  bool exclusive = false;
};

struct PlacingSite {
  std::vector<NodeFacts> nodes;
  std::optional<machine::Layout> layout;  // if set, each part has a whole partition for itself
  bool even = false;  // a part that is not exclusive has as much of one node as of any other
};

// What each node of a site has, and what is booked on it, by index of the node in PlacingSite.
struct PlacingRoom {
  std::vector<ResourceSet> has;
  std::vector<bool> usable;
  std::vector<std::vector<Occupied>> occupied;
};

// A placed part: its chunk sets, in the order of the request, and all nodes that it blocks.
struct PlacedPart {
  std::vector<PlacedSet> sets;
  std::vector<std::string> nodes;  // ascending, each once
  bool operator==(const PlacedPart&) const = default;
  auto operator<=>(const PlacedPart& other) const { return Key() <=> other.Key(); }
  // Nodes of the sets and blocked nodes as text; placings with equal keys are the same.
  std::string Key() const;
};
using Placing = std::vector<PlacedPart>;

// All placings of `parts` beside each other, up to kPlacings. The `placed` of the parts is not
// read. `within`: the nodes that each part may have, as bits; empty: any.
// REQUIRES: at most kPlacedNodes nodes.
std::vector<Placing> PlacingsOf(const std::vector<BookedPart>& parts, const PlacingSite& site,
                                const PlacingRoom& room, const std::vector<uint32_t>& within = {});

}  // namespace muster::sim
