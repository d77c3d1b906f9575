// The vector that a site plans its whole machine with: what is used of a resource over all nodes
// (sRS of OpenCCS Sect. 4). It is named here once, so that what is measured is what runs. A plan
// remembers what its searches proved for requests as a whole (plan/frontier.h), not for each
// vector; packing, which knows amounts only, has vectors that do (rusv/frontier.h).
#pragma once

#include <cstdint>

#include "site/rusv/rusv.h"

namespace muster::plan {

using SystemVector = rusv::Rusv;

// Of a machine with so much of the resource, all of it free.
inline SystemVector EmptySystemVector(int64_t total) { return SystemVector(total); }

}  // namespace muster::plan
