// Parts on a machine with a geometry: how many units one needs, and how its chunks lie on the units
// of a partition that it has alone (CCS Sect. 4, scheduling.md section 8).
#pragma once

#include <optional>
#include <vector>

#include "site/machine/known_set.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"

namespace muster::plan {

// The partitions that hold the part: of units that host all its chunks. REQUIRES a geometry.
machine::Wanted PartitionFor(const PartShape& part, const machine::Machine& machine);

// Units in the smallest of its forms; 0: there is none.
inline uint32_t UnitsWanted(const machine::Wanted& wanted) {
  return wanted.forms.empty() ? 0 : wanted.forms.front().units;
}

// The part on these units: chunks first fit, by unit; units that get none come last, with a count
// of 0. By group, as the mapper assigns before ToChunks. REQUIRES a partition of PartitionFor.
std::vector<Assignment> Fill(const PartShape& part, const machine::Bits& units,
                             const machine::Machine& machine);

}  // namespace muster::plan
