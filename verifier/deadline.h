// Leases and D. They are armed on the boot clock, so that jumps of the wall clock neither shorten
// nor lengthen them, and stored so that they survive a reboot. protocol.md section 6, G10.
#pragma once

#include <string_view>

#include "base/time.h"
#include "schemas/hold.h"

namespace muster::verifier {

// Makes a deadline `span` from now. `wall` is its UTC time: now + span for a lease, D itself for D.
// A negative span counts as zero: the deadline is due at once.
schemas::Deadline ArmDeadline(BootSpan span, Moment wall, BootInstant now,
                              std::string_view boot_id);

// The boot instant, in the present boot, at which a stored deadline ends. In the boot that armed
// it: as stored. In another boot: the remaining time is wall - now, clamped to [0, span], so that a
// reboot adds at most one full lease.
BootInstant DeadlineInThisBoot(const schemas::Deadline& stored, const Now& now,
                               std::string_view boot_id);

}  // namespace muster::verifier
