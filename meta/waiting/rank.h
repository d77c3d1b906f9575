// The order in which waiting requests are tried. scheduling.md section 11.
#pragma once

#include <compare>
#include <cstdint>

#include "base/ids.h"

namespace muster::room {

// Order of trying: by queue priority, then by points, then by arrival. The smallest rank comes
// first.
struct Rank {
  int32_t order = 0;   // minus the queue's priority
  int64_t points = 0;  // minus the points; 0 without a policy
  RequestId id;
  auto operator<=>(const Rank&) const = default;
};

}  // namespace muster::room
