// Looks at lower switches first: one that can hold the part rules out all switches above it.
#include "site/plan/smallest_switches.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "site/plan/mapper.h"
#include "site/plan/occupancy.h"

namespace muster::plan {
namespace {

// Sets of the group that the node can take when empty.
int64_t SetsOfEmpty(const PartShape& part, const Group& group, uint32_t node,
                    const machine::Machine& machine) {
  int64_t sets = part.place == Place::kFree ? group.count : 1;
  for (const auto& [resource, amount] : group.needs) {
    sets = std::min(sets, machine.Amount(node, resource) / amount);
  }
  return sets;
}

bool CouldHold(const PartShape& part, uint32_t index, const machine::Machine& machine) {
  for (const Group& group : part.groups) {
    int64_t sets = 0;
    for (const uint32_t node : group.hosts) {
      if (sets >= group.count) break;
      if (machine.switches().IsBelow(node, index)) sets += SetsOfEmpty(part, group, node, machine);
    }
    if (sets < group.count) return false;
  }
  if (part.groups.size() == 1) return true;
  // Several kinds of chunks may want the same nodes: only mapping them tells.
  const std::shared_ptr<const machine::Machine> borrowed(std::shared_ptr<void>(), &machine);
  const Occupancy empty(borrowed, nullptr);
  Shape alone;
  alone.parts.push_back(part);
  alone.parts.front().one_switch = true;
  alone.parts.front().switches = {index};
  return Mapper(empty, alone).At(Instant{0} - part.shift).has_value();
}

}  // namespace

std::vector<uint32_t> SmallestSwitches(const PartShape& part, const machine::Machine& machine) {
  const machine::Switches& switches = machine.switches();
  std::vector<uint32_t> order(switches.count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&switches](uint32_t a, uint32_t b) {
    return switches.Height(a) < switches.Height(b);
  });
  std::vector<bool> holds_below(switches.count(), false);
  std::vector<uint32_t> out;
  for (const uint32_t s : order) {
    const bool smaller = holds_below[s];
    const bool here = !smaller && CouldHold(part, s, machine);
    if (here) out.push_back(s);
    const std::optional<uint32_t> above = switches.Above(s);
    if (above.has_value() && (smaller || here)) holds_below[*above] = true;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace muster::plan
