// Parses the sites of a replay as users type them: a name, the kind of machine and its size.
#pragma once

#include <string_view>

#include "base/status.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// The property that all nodes of a machine with several speeds share; its value is the site's name.
inline constexpr char kMachineProperty[] = "machine";

// "NAME=KIND:SIZE" with flat:430, mesh:8x8, hypercube:64, torus:4x4x4, tree:16x4 (nodes per switch,
// switches), switches:16x4 (the same, and jobs ask to be below one switch) or
// speeds:40x120%,76x80%: classes of nodes with one processor each, by number and by speed in per
// cent of the reference (1 to 1000, at most 16 speeds, as [[nodes]] speed of site.toml). Their
// order is that of the site's nodes, and all have the property "machine", with the site's name.
// Processors of other machines are alike. The driver has a daemon's delays
// (sim/replay/replay_times.h). Errors: any other text.
absl::StatusOr<ReplaySite> SiteFromText(std::string_view text);

}  // namespace muster::sim
