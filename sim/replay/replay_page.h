// One page about replays that needs nothing else: tables, and plots of waits, slowdowns, stretch,
// use of the sites, errors of what was told, and the schedule of a busy day.
#pragma once

#include <string>
#include <vector>

#include "sim/replay/replay_run.h"

namespace muster::sim {

// What every such page begins with: its look, its title and a table. After it come plots, in
// elements of class "plots", and the end of the body.
std::string PageBegin(const std::string& title, const std::string& table);

std::string ReplayPage(const std::string& title, const std::vector<ReplayRun>& runs);

}  // namespace muster::sim
