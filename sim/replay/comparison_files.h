// Comparisons of autonomous and verified scheduling as people read them: tables with a summary and
// how the errors are distributed, JSON, and a plot for each.
#pragma once

#include <string>
#include <vector>

#include "sim/page/plots.h"
#include "sim/replay/error_comparison.h"

namespace muster::sim {

// A row each, by times; then, by packing, the reductions and where the errors lie.
std::string ComparisonTable(const std::vector<ErrorComparison>& comparisons);

// One document, "muster.comparison/1".
std::string ComparisonJson(const std::vector<ErrorComparison>& comparisons);

PlotDocument ComparisonPlots(const std::string& title,
                             const std::vector<ErrorComparison>& comparisons);

}  // namespace muster::sim
