// Finds the switches below which a part that must stay below one switch may be placed
// (scheduling.md section 8).
#pragma once

#include <cstdint>
#include <vector>

#include "site/machine/machine.h"
#include "site/plan/shape.h"

namespace muster::plan {

// The value of PartShape::switches, ascending. REQUIRES that `part` was compiled for all nodes, in
// use or not.
std::vector<uint32_t> SmallestSwitches(const PartShape& part, const machine::Machine& machine);

}  // namespace muster::plan
