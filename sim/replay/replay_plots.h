// Replays as plots: waits, slowdowns, stretch, errors of announced starts, utilisation of the
// sites, and the whole schedule of each site.
#pragma once

#include <string>
#include <vector>

#include "sim/page/plots.h"
#include "sim/replay/replay_run.h"

namespace muster::sim {

PlotDocument ReplayPlots(const std::string& title, const std::vector<ReplayRun>& runs);

}  // namespace muster::sim
