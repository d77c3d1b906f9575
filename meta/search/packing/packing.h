// Packing: a block of requests laid out over the sites, in amounts and durations only. Every
// algorithm is one function of the same problem, in its own file; they differ in the order in which
// they take the entries and in where a site offers room, and share the choice of sites
// (making.h). CCS Sect. 3.2, scheduling.md section 1 (Packing, Compaction).
#pragma once

#include "base/time.h"
#include "meta/search/packing/algorithm.h"
#include "meta/search/packing/problem.h"

namespace muster::packing {

Layout PackInLevels(Algorithm algorithm, const Problem& problem);
// The same without the scheduling points.
Schedule Pack(Algorithm algorithm, const Problem& problem);
// How many of them start after `last`, or fit nowhere.
size_t StartAfter(const Schedule& schedule, Instant last);

// In order of packed start each entry moves to the earliest fit >= now at the sites it has; none
// gets later. `problem` is the one that was packed.
Schedule Compact(const Problem& problem, const Schedule& packed);

}  // namespace muster::packing
