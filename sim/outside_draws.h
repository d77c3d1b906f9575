// What a campaign draws of those who use a site's machine without muster: how it keeps them off,
// what they do, and what befalls the machine.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "site/driver/simulated/outsiders.h"
#include "site/options.h"

namespace muster::sim {

// The federation's lead with such sites: as long as they need for co-allocations.
inline constexpr BootSpan kLeadThere = Seconds(5);

// Makes the site one of a shared machine: with walls, with commons, with both, or with neither, so
// that its starts are bounds. Its users submit, its operator deletes walls, it goes blind and loses
// nodes, all before `until`. `calm`: only its users do something.
driver::OutsiderSettings DrawOutside(uint64_t seed, site::Options& site, BootInstant until,
                                     bool calm);

}  // namespace muster::sim
