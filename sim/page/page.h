// The page that draws a document "muster.plots/1": one file that a browser opens without a network.
// Its sources and the library that draws, uPlot, are compiled into the program.
#pragma once

#include <string>
#include <string_view>

namespace muster::sim {

// False: npm had not fetched uPlot when the program was built, so it can write no page.
bool HasPage();

// `data`: a document "muster.plots/1". REQUIRES: HasPage().
std::string PageOf(std::string_view data);

}  // namespace muster::sim
