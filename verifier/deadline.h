// Leases and D: armed on the boot clock, so that no jump of the wall clock shortens or lengthens
// them, and stored so that they survive a reboot. protocol.md section 6, G10.
#pragma once

#include <string_view>

#include "base/time.h"
#include "schemas/hold.h"

namespace muster::verifier {

// A deadline `span` from now. `wall` is the UTC it stands for: now + span for a lease, D itself for
// D. A negative span counts as zero: it is due at once.
schemas::Deadline ArmDeadline(BootSpan span, Moment wall, BootInstant now,
                              std::string_view boot_id);

// The boot instant a stored deadline ends at in this boot. Same boot: as stored. Other boot: the
// remaining time is wall - now, clamped to [0, span], so that a reboot gives at most one full
// lease.
BootInstant DeadlineInThisBoot(const schemas::Deadline& stored, const Now& now,
                               std::string_view boot_id);

}  // namespace muster::verifier
