// Writes comparisons of autonomous and verified scheduling: tables with a summary and the
// distribution of errors, JSON, and one plot per comparison.
#pragma once

#include <string>
#include <vector>

#include "sim/page/plots.h"
#include "sim/replay/error_comparison.h"

namespace muster::sim {

// One row per comparison, first those with exact run times, then those with requested ones. Each
// group is followed by the reductions and the distribution of errors per packing.
std::string ComparisonTable(const std::vector<ErrorComparison>& comparisons);

// One "muster.comparison/1" document.
std::string ComparisonJson(const std::vector<ErrorComparison>& comparisons);

PlotDocument ComparisonPlots(const std::string& title,
                             const std::vector<ErrorComparison>& comparisons);

}  // namespace muster::sim
