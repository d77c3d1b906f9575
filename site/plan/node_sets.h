// Counts how many sets of a group one node can take beside its bookings.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "site/plan/node_usage.h"
#include "site/plan/shape.h"

namespace muster::plan {

// Sets of the group that the node could take at this start if the order had no other group: at most
// the group's count, and at most 1 unless chunks are placed `free`.
int64_t SetsAt(const NodeUsage& usage, const PartShape& part, const Group& group, uint32_t node,
               Instant start);

}  // namespace muster::plan
