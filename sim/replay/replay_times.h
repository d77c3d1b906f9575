// The delays that a replay simulates. By default sites, starts and barriers take as long as with
// deployed daemons. Ideal replays have no such delays, for comparison with simulators that lack
// them. scheduling.md section 10.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "schemas/site_link.h"
#include "site/options.h"

namespace muster::sim {

// The longest delay from a site's order to the start of its processes.
inline constexpr BootSpan kDaemonStartDelay = Milliseconds(300);

// Range of message delays, drawn per message; messages of one link stay in order.
struct LinkDelays {
  BootSpan least = Milliseconds(1);
  BootSpan most = Milliseconds(20);
};

// Makes the site ideal: no turnover between jobs, and starts in the planned second.
void MakeIdeal(site::Options& site);
// Protocol values of a federation whose messages take no time: a barrier of one second is enough.
schemas::ProtocolValues IdealValues();

// The delay from the order to the start of a part, between 0 and `most`. It depends only on seed,
// job and part, so it is the same under every scheduler.
BootSpan StartDelay(uint64_t seed, size_t job, size_t part, BootSpan most);

}  // namespace muster::sim
