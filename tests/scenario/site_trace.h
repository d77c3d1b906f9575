// What a site's core asks of its shell, as lines of a scenario's trace.
#pragma once

#include <string>
#include <vector>

#include "site/core.h"
#include "tests/scenario/site_says.h"

namespace muster::scenario {

// Instants are shown as seconds after `zero`. Heartbeats are left out unless `beats`.
std::vector<std::string> TraceOf(const site::Effects& effects, Instant zero, bool beats);

}  // namespace muster::scenario
