// All units count as equal, with the least that any host has. So a part needs the same number of
// units wherever they are.
#include "site/plan/partition.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace muster::plan {
namespace {

using machine::Bits;
using machine::Machine;

// Fills empty units one after the other with the sets of a part, in mapping order.
class Filling {
 public:
  // `room`: what every unit has, by resource.
  Filling(const PartShape& part, std::vector<int64_t> room) : part_(part), room_(std::move(room)) {}

  struct Sets {
    uint32_t chunk;
    size_t unit;
    uint32_t count;
  };
  // The sets on at most `most` units; empty if these are not enough.
  std::vector<Sets> Over(size_t most) {
    for (const Group& group : part_.groups) {
      if (!Add(group, most)) return {};
    }
    return sets_;
  }

 private:
  bool Add(const Group& group, size_t most) {
    int64_t left = group.count;
    for (size_t unit = part_.place == Place::kScatter ? left_.size() : 0; left > 0; ++unit) {
      if (unit >= most) return false;
      if (unit == left_.size()) left_.push_back(room_);
      int64_t count = part_.place == Place::kScatter ? 1 : left;
      for (const auto& [resource, amount] : group.needs) {
        count = std::min(count, left_[unit][resource] / amount);
      }
      if (count == 0) continue;
      for (const auto& [resource, amount] : group.needs) left_[unit][resource] -= count * amount;
      sets_.push_back({group.chunk, unit, static_cast<uint32_t>(count)});
      left -= count;
    }
    return true;
  }

  const PartShape& part_;
  std::vector<int64_t> room_;
  std::vector<std::vector<int64_t>> left_;
  std::vector<Sets> sets_;
};

// The least that any host has of each resource.
std::vector<int64_t> LeastRoom(const Bits& hosts, const Machine& machine) {
  std::vector<int64_t> room(machine.resource_count(), std::numeric_limits<int64_t>::max());
  hosts.ForEach([&](size_t unit) {
    for (uint32_t r = 0; r < room.size(); ++r) {
      room[r] = std::min(room[r], machine.Amount(machine.NodeOf(unit), r));
    }
  });
  return room;
}

size_t UnitCount(const std::vector<Filling::Sets>& sets) {
  size_t units = 0;
  for (const Filling::Sets& one : sets) units = std::max(units, one.unit + 1);
  return units;
}

}  // namespace

machine::Wanted PartitionFor(const PartShape& part, const Machine& machine) {
  machine::Wanted wanted{{}, Bits(machine.geometry()->unit_count(), true), part.shift, part.length};
  for (const Group& group : part.groups) {
    Bits hosts(wanted.hosts.width());
    for (const uint32_t node : group.hosts) hosts.Set(machine.UnitOf(node));
    wanted.hosts &= hosts;
  }
  const size_t most = wanted.hosts.Count();
  const size_t units = UnitCount(Filling(part, LeastRoom(wanted.hosts, machine)).Over(most));
  if (units > 0) {
    wanted.forms =
        machine.geometry()->FormsFor(static_cast<uint32_t>(units), machine.waste_percent());
  }
  return wanted;
}

std::vector<Assignment> Fill(const PartShape& part, const Bits& units, const Machine& machine) {
  std::vector<uint32_t> nodes;
  units.ForEach([&](size_t unit) { nodes.push_back(machine.NodeOf(unit)); });
  const auto sets = Filling(part, LeastRoom(part.partition->hosts, machine)).Over(nodes.size());
  MUSTER_CHECK(!sets.empty());
  std::vector<Assignment> out;
  for (const Filling::Sets& one : sets) out.push_back({one.chunk, nodes[one.unit], one.count});
  const uint32_t last = static_cast<uint32_t>(part.counts.size()) - 1;
  for (size_t unit = UnitCount(sets); unit < nodes.size(); ++unit) {
    out.push_back({last, nodes[unit], 0});
  }
  return out;
}

}  // namespace muster::plan
