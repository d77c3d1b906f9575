// Chooses the nodes of a part among those with room: phase 2 of OpenCCS Sect. 5.2 for policies
// other than plain greedy, and for parts that stay below one switch (scheduling.md section 8). All
// looks at nodes go through Fit, so that SameUntil knows of them.
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "site/plan/mapper.h"

namespace muster::plan {
namespace {

__extension__ using Wide = __int128;

}  // namespace

bool Mapper::MapByChoice(const PartShape& part, std::vector<Assignment>& out) {
  if (part.one_switch || part.policy == Policy::kSwitch) {
    for (const uint32_t index : SwitchesWithRoom(part)) {
      if (MapThere(part, index, out)) return true;
      out.clear();
      seen_.assign(seen_.size(), false);  // undoes what was counted down
    }
  }
  return !part.one_switch && MapThere(part, std::nullopt, out);
}

// The switches with room for every kind of chunk, each kind counted alone. The lowest come first,
// unless the part must stay below one switch; then the fullest, which leaves the most room
// elsewhere.
std::vector<uint32_t> Mapper::SwitchesWithRoom(const PartShape& part) {
  const machine::Switches& switches = occupancy_.machine().switches();
  std::vector<bool> asked(switches.count(), !part.one_switch);
  for (const uint32_t index : part.switches) asked[index] = true;
  std::vector<bool> lacks(switches.count(), false);
  std::vector<int64_t> room(switches.count(), 0);
  for (const Group& group : part.groups) {
    std::vector<int64_t> sets(switches.count(), 0);
    for (const uint32_t node : group.hosts) {
      int64_t here = -1;
      for (auto up = switches.Of(node); up.has_value(); up = switches.Above(*up)) {
        if (!asked[*up]) continue;
        if (here < 0) here = std::max<int64_t>(Fit(part, group, node), 0);
        sets[*up] += here;
      }
    }
    for (uint32_t s = 0; s < switches.count(); ++s) {
      lacks[s] = lacks[s] || sets[s] < group.count;
      room[s] += sets[s];
    }
  }
  std::vector<uint32_t> out;
  for (uint32_t s = 0; s < switches.count(); ++s) {
    if (asked[s] && !lacks[s]) out.push_back(s);
  }
  const auto rank = [&](uint32_t s) {
    return std::tuple(part.one_switch ? 0 : switches.Height(s), room[s],
                      switches.NodesBelow(s).size(), s);
  };
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
  return out;
}

Mapper::Nodes Mapper::InOrder(const PartShape& part, const Group& group, Below below,
                              const std::vector<Assignment>& so_far, std::vector<uint32_t>& room) {
  if (!below.has_value() && part.policy == Policy::kGreedy) return group.hosts.nodes();
  room.clear();
  const machine::Switches& switches = occupancy_.machine().switches();
  for (const uint32_t node : group.hosts) {
    if (below.has_value() && !switches.IsBelow(node, *below)) continue;
    if (Fit(part, group, node) > 0) room.push_back(node);
  }
  if (part.policy == Policy::kBestFit) ByLeftOver(part, group, room);
  if (part.policy == Policy::kSwitch) BySwitch(part, group, so_far, room);
  return room;
}

// Sorts nodes by the room that is left on them once they have taken all sets that fit, the least
// room first. It is measured like a node's weight (Sect. 5.2): as the greatest share of the
// machine, in millionths.
void Mapper::ByLeftOver(const PartShape& part, const Group& group, std::vector<uint32_t>& nodes) {
  std::vector<std::pair<int64_t, uint32_t>> ranked;
  for (const uint32_t node : nodes) {
    const int64_t sets = Fit(part, group, node);
    const size_t row = size_t{node} * occupancy_.dimensions();
    int64_t left = 0;
    for (const auto& [resource, amount] : group.needs) {
      const Wide rest = Wide{free_[row + resource]} - Wide{sets} * amount;
      const int64_t total = std::max<int64_t>(occupancy_.machine().Total(resource), 1);
      left = std::max(left, static_cast<int64_t>(rest * 1000000 / total));
    }
    ranked.emplace_back(left, node);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = ranked[i].second;
}

// Sorts nodes by switch so that few switches are touched. First come switches that the part already
// uses, then always the one that takes most of the sets that are left; among those that take all of
// them, the fullest. Nodes below no switch come last.
void Mapper::BySwitch(const PartShape& part, const Group& group,
                      const std::vector<Assignment>& so_far, std::vector<uint32_t>& nodes) {
  const machine::Switches& switches = occupancy_.machine().switches();
  constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  struct Leaf {
    int64_t sets = 0;
    std::vector<uint32_t> nodes;
  };
  std::map<uint32_t, Leaf> leaves;
  for (const uint32_t node : nodes) {
    Leaf& leaf = leaves[switches.Of(node).value_or(kNone)];
    leaf.sets += Fit(part, group, node);
    leaf.nodes.push_back(node);
  }
  nodes.clear();
  int64_t left = group.count;
  const auto take = [&](std::map<uint32_t, Leaf>::iterator leaf) {
    nodes.insert(nodes.end(), leaf->second.nodes.begin(), leaf->second.nodes.end());
    left -= leaf->second.sets;
    leaves.erase(leaf);
  };
  for (const Assignment& a : so_far) {
    const auto known = leaves.find(switches.Of(a.node).value_or(kNone));
    if (known != leaves.end() && known->first != kNone) take(known);
  }
  const auto rank = [&left](const auto& leaf) {
    const int64_t sets = leaf.second.sets;
    return std::tuple(leaf.first == kNone, sets < left, sets < left ? -sets : sets);
  };
  while (!leaves.empty()) {
    take(std::min_element(leaves.begin(), leaves.end(),
                          [&](const auto& a, const auto& b) { return rank(a) < rank(b); }));
  }
}

}  // namespace muster::plan
