// Sites of a replay as they are typed: a name, the kind of the machine and its size.
#pragma once

#include <string_view>

#include "base/status.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// "lakes=flat:430", "=mesh:8x8", "=hypercube:64", "=torus:4x4x4", "=tree:16x4" (nodes below a
// switch, switches), "=switches:16x4" (the same, and jobs ask to be below one switch): processors
// that are alike, on a driver that takes the time of a daemon's (sim/replay/replay_times.h).
absl::StatusOr<ReplaySite> SiteFromText(std::string_view text);

}  // namespace muster::sim
