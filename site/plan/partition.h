// Parts on a machine with a geometry: how many units a part needs, and how its chunks lie on the
// units of its own partition (CCS Sect. 4, scheduling.md section 8).
#pragma once

#include <optional>
#include <vector>

#include "site/machine/known_set.h"
#include "site/machine/machine.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"

namespace muster::plan {

// The partitions that can hold the part; each of their units can host all of its chunks. REQUIRES a
// geometry.
machine::Wanted PartitionFor(const PartShape& part, const machine::Machine& machine);

// Units in the smallest form; 0: there is no form.
inline uint32_t UnitsWanted(const machine::Wanted& wanted) {
  return wanted.forms.empty() ? 0 : wanted.forms.front().units;
}

// Places the part's chunks on these units, first fit by unit. Units without a chunk come last, with
// a count of 0. Assignments name groups, as the mapper has them before ToChunks. REQUIRES a
// partition of PartitionFor.
std::vector<Assignment> Fill(const PartShape& part, const machine::Bits& units,
                             const machine::Machine& machine);

}  // namespace muster::plan
