// The machine's clocks behind the clock interface.
#pragma once

#include <memory>

#include "base/io/clock.h"

namespace muster::io {

// CLOCK_BOOTTIME (counts suspend), CLOCK_REALTIME, and the kernel's boot id; the id is read once.
// Where the kernel shows no boot id, it is the second of the boot, which a jump of the wall clock
// can change: leases are then re-armed as after a reboot, never lengthened beyond one (protocol.md
// section 6).
std::unique_ptr<Clock> SystemClock();

}  // namespace muster::io
