// What takes time in a replay. Replays go where daemons go: sites, starts and barriers take as long
// as deployed daemons need for them. Simulators without such times are compared with ideal ones.
// scheduling.md section 10.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "schemas/site_link.h"
#include "site/options.h"

namespace muster::sim {

// From a site's order to the start of its processes, at most.
inline constexpr BootSpan kDaemonStartDelay = Milliseconds(300);

// Messages take so long, drawn apart for each; those of one link stay in order.
struct LinkDelays {
  BootSpan least = Milliseconds(1);
  BootSpan most = Milliseconds(20);
};

// Of a site that needs no time between two jobs, and starts them in the second that was planned.
void MakeIdeal(site::Options& site);
// Of a federation in which nothing is under way: a barrier of a second is enough.
schemas::ProtocolValues IdealValues();

// From the order to the start of this part of the job, 0 to `most`, the same whoever schedules it.
BootSpan StartDelay(uint64_t seed, size_t job, size_t part, BootSpan most);

}  // namespace muster::sim
