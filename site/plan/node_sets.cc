// Needs are looked at in the order of the group, since which resource is scarce is not known here.
#include "site/plan/node_sets.h"

#include <algorithm>

namespace muster::plan {

int64_t SetsAt(const NodeUsage& usage, const PartShape& part, const Group& group, uint32_t node,
               Instant start) {
  const Instant begin = start + part.shift;
  const Instant end = begin + part.length;
  const int64_t share = usage.Of(node, usage.share()).FreeIn(begin, end);
  if (share < (part.exclusive ? kWholeNode : 1)) return 0;
  int64_t sets = part.place == Place::kFree ? group.count : 1;
  for (const auto& [resource, amount] : group.needs) {
    const int64_t free = usage.Of(node, resource).FreeIn(begin, end);
    sets = std::min(sets, std::max<int64_t>(free, 0) / amount);
    if (sets == 0) break;
  }
  return sets;
}

}  // namespace muster::plan
