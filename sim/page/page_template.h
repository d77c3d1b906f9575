// The page without data, as embed.cmake makes it of page.html.
#pragma once

#include <string_view>

namespace muster::sim {

// Holds "{{data}}" once, where the data go; empty: uPlot was not there at build time.
extern const std::string_view kPageTemplate;

}  // namespace muster::sim
