// A what-if as a page: its tables, and how the starts that move are spread.
#pragma once

#include "cli/views/format.h"

namespace muster::cli::views {

// The document "muster.plots/1" (docs/simulation.md) of a "muster.whatif/1" document with a run.
Json WhatIfPlots(const Json& document, const ViewOptions& options);

}  // namespace muster::cli::views
