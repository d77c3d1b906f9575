// Packing: lays out a block of requests over the sites, in amounts and durations only. Each
// algorithm is a function of the same problem, in a file of its own. They differ in the order of
// the entries and in where a site offers room; the choice of sites is common to all (making.h). CCS
// Sect. 3.2, scheduling.md section 1 (Packing, Compaction).
#pragma once

#include "base/time.h"
#include "meta/search/packing/algorithm.h"
#include "meta/search/packing/problem.h"

namespace muster::packing {

Layout PackInLevels(Algorithm algorithm, const Problem& problem);
// As PackInLevels, without the scheduling points.
Schedule Pack(Algorithm algorithm, const Problem& problem);
// How many entries start after `last` or fit nowhere.
size_t StartAfter(const Schedule& schedule, Instant last);

// Moves each entry, in order of packed start, to its earliest fit at its sites. No entry gets
// later. `problem`: the problem that was packed.
Schedule Compact(const Problem& problem, const Schedule& packed);

}  // namespace muster::packing
