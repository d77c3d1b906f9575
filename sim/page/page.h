// The page that draws a "muster.plots/1" document: one self-contained file that a browser opens
// offline. Its sources and the plotting library uPlot are compiled into the program.
#pragma once

#include <string>
#include <string_view>

namespace muster::sim {

// False if uPlot was missing when the program was built: then no page can be written.
bool HasPage();

// The page with `data` in it, a "muster.plots/1" document. REQUIRES: HasPage().
std::string PageOf(std::string_view data);

}  // namespace muster::sim
