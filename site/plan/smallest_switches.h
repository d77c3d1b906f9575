// The switches that a part which stays below one may be below (scheduling.md section 8).
#pragma once

#include <cstdint>
#include <vector>

#include "site/machine/machine.h"
#include "site/plan/shape.h"

namespace muster::plan {

// For PartShape::switches, ascending. REQUIRES a shape of all nodes, in use or not.
std::vector<uint32_t> SmallestSwitches(const PartShape& part, const machine::Machine& machine);

}  // namespace muster::plan
