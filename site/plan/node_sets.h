// How many sets of a group one node could take, by what is booked on it.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "site/plan/node_usage.h"
#include "site/plan/shape.h"

namespace muster::plan {

// Sets of the group that the node could take at this start if the group were alone; no more than it
// is asked for.
int64_t SetsAt(const NodeUsage& usage, const PartShape& part, const Group& group, uint32_t node,
               Instant start);

}  // namespace muster::plan
