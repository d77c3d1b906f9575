// How use fades: each window counts for less than the next newer one. Maui Sect. III (Fairshare);
// scheduling.md section 12. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/shares.h"

namespace muster::policy {

__extension__ using Wide = __int128;

// Sum over the windows of decay^k * use of window k, 0 the present one, in millionths of the unit.
Wide Faded(const FairshareRules& rules, const std::vector<int64_t>& by_window);
// The same and what is booked, as far as the rules count it, in millionths of the unit.
Wide FadedWithBooked(const FairshareRules& rules, const Use& use);

}  // namespace muster::policy
