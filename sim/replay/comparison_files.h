// Writes comparisons of autonomous and verified scheduling: tables with a summary and the
// distribution of errors, JSON, and one plot each.
#pragma once

#include <string>
#include <vector>

#include "sim/page/plots.h"
#include "sim/replay/error_comparison.h"

namespace muster::sim {

// One row per comparison, grouped by times; then, per packing, the reductions and the distribution
// of errors.
std::string ComparisonTable(const std::vector<ErrorComparison>& comparisons);

// One "muster.comparison/1" document.
std::string ComparisonJson(const std::vector<ErrorComparison>& comparisons);

PlotDocument ComparisonPlots(const std::string& title,
                             const std::vector<ErrorComparison>& comparisons);

}  // namespace muster::sim
