// The type of vector with which a site plans its whole machine: what is used of a resource over all
// nodes (sRS of OpenCCS Sect. 4). It is named once, so that benchmarks measure the type that runs.
// A plan remembers what its searches proved for whole requests (plan/frontier.h), not per vector.
// Packing, which knows amounts only, uses vectors that remember what was proved (rusv/frontier.h).
#pragma once

#include <cstdint>

#include "site/rusv/rusv.h"

namespace muster::plan {

using SystemVector = rusv::Rusv;

// The vector of a machine with `total` of the resource, all of it free.
inline SystemVector EmptySystemVector(int64_t total) { return SystemVector(total); }

}  // namespace muster::plan
