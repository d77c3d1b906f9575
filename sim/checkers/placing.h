// Where parts could be put at a site besides what is booked there: every placing of their chunk
// sets on the nodes, tried one by one. A mapper of the checkers' own for small machines, which
// judges by what nodes have alone; the rules of the site are for the checker of plans.
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

// Every placing is tried, so a machine has no more nodes than this.
inline constexpr size_t kPlacedNodes = 6;
// Of one question; the parts of one request that share a site multiply theirs. Those beyond it are
// not looked at, which can only hide something.
inline constexpr size_t kPlacings = 2000;

// Something has this of a node for that time. Of those of one chain one at most runs: they count
// as their maximum.
struct Occupied {
  Interval span;
  ResourceSet amounts;
  std::string chain;
  std::string order;
  bool exclusive = false;
};

struct PlacingSite {
  std::vector<NodeFacts> nodes;
  std::optional<machine::Layout> layout;  // with one, a part has a whole partition alone
};

// What may be used of a site: by node, as in PlacingSite.
struct PlacingRoom {
  std::vector<ResourceSet> has;
  std::vector<bool> usable;
  std::vector<std::vector<Occupied>> occupied;
};

// Of every part its chunk sets, in the order of what it wants, and all nodes that it blocks.
struct PlacedPart {
  std::vector<PlacedSet> sets;
  std::vector<std::string> nodes;  // ascending, each once
  bool operator==(const PlacedPart&) const = default;
  auto operator<=>(const PlacedPart& other) const { return Key() <=> other.Key(); }
  // "n1 n1 n3": what makes two placings the same.
  std::string Key() const;
};
using Placing = std::vector<PlacedPart>;

// All placings of the parts, which have everything but `placed`, each beside the others, in the
// order of nodes. REQUIRES: at most kPlacedNodes nodes.
std::vector<Placing> PlacingsOf(const std::vector<BookedPart>& parts, const PlacingSite& site,
                                const PlacingRoom& room);

}  // namespace muster::sim
