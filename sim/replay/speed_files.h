// How replays on nodes of several speeds are written: the table of their throughput, and its JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/replay/replay_run.h"

namespace muster::sim {

// A header and a row for each run on nodes of several speeds: who asks for what, the throughput and
// its two factors, and response times. If a run names another one, `settings.against`, its row has
// the gain in throughput over that one. The first cell of each is the run's name. The header alone
// if there is no such run.
std::vector<std::vector<std::string>> SpeedRows(const std::vector<ReplayRun>& runs);

// The same figures; null for a run whose nodes are alike.
nlohmann::ordered_json SpeedJson(const ReplayRun& run);

}  // namespace muster::sim
