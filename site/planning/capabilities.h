// What a site can do that not every site can, in a word each, for people and programs (`muster
// sites`, JSON). The meta decides nothing by them.
#pragma once

#include <string>
#include <vector>

#include "site/options.h"

namespace muster::site {

// Ascending, of these: "extend" (running parts may get more time), "jobwide" (licences and the like
// of the site as a whole), "partitions" (a mesh, cube or torus: nodes are had by partitions),
// "switches" (nodes can be asked for below one switch), "users" (it takes jobs of its own users).
std::vector<std::string> CapabilitiesOf(const Options& options);

}  // namespace muster::site
