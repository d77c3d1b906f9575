// Parses the sites of a replay as users type them: a name, the kind of machine and its size.
#pragma once

#include <string_view>

#include "base/status.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// "NAME=KIND:SIZE" with flat:430, mesh:8x8, hypercube:64, torus:4x4x4, tree:16x4 (nodes per switch,
// switches) or switches:16x4 (the same, and jobs ask to be below one switch). All processors are
// alike; the driver has a daemon's delays (sim/replay/replay_times.h). Errors: any other text.
absl::StatusOr<ReplaySite> SiteFromText(std::string_view text);

}  // namespace muster::sim
