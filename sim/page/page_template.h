// The page without data, generated from page.html by embed.cmake.
#pragma once

#include <string_view>

namespace muster::sim {

// Contains "{{data}}" once, as placeholder for the data. Empty if uPlot was missing at build time.
extern const std::string_view kPageTemplate;

}  // namespace muster::sim
