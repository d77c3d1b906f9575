// A tree of shares: what a department was meant to have comes before what a group of it was. The
// order of the leaves counts, not how far they are from their targets. scheduling.md section 12.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/shares.h"

namespace muster::policy {

// The value of each share, 0 to 1000, by `shares`: 1000 * (n - place) / n for n shares, of which
// `place` stand before it. At each level siblings stand by target / use, both of what all siblings
// of their parent have, the largest first; each behind all that are below it. Siblings that are
// alike tie, and what is below them is laid out as if it had one parent.
// `counts`: what each has had of all, in any one unit. REQUIRES: each share has a target; parents
// are names of shares or "", and none is below itself.
std::vector<int64_t> TreeValues(const std::vector<Share>& shares,
                                const std::vector<int64_t>& counts);

}  // namespace muster::policy
