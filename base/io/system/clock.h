// Implements the clock interface with the machine's clocks.
#pragma once

#include <memory>

#include "base/io/clock.h"

namespace muster::io {

// Uses CLOCK_BOOTTIME (includes suspend), CLOCK_REALTIME, and the kernel's boot id, which is read
// once. Without a kernel boot id, the id is the second of the boot. A jump of the wall clock can
// change that id; leases are then armed again as after a reboot, and last at most one lease longer
// (protocol.md section 6).
std::unique_ptr<Clock> SystemClock();

}  // namespace muster::io
