// What all replays share: when their boot clock begins, and the limits on what they do and keep.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace muster::sim {

inline constexpr BootInstant kReplayBegin{1000};
// Turns at one instant: more means that a core loops.
inline constexpr size_t kMostTurnsAtOnce = 1000;
inline constexpr size_t kViolationsKept = 20;

}  // namespace muster::sim
