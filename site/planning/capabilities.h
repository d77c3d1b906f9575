// Optional abilities of a site, one word each, for people and programs (`muster sites`, JSON). The
// meta decides nothing by them.
#pragma once

#include <string>
#include <vector>

#include "site/options.h"

namespace muster::site {

// The site's words in ascending order. There are "extend" (running parts may get more time),
// "jobwide" (job-wide resources, such as licences), "partitions" (a mesh, cube or torus: nodes are
// given out as partitions), "switches" (a part may ask for nodes below one switch), "users" (the
// site takes jobs of its own users).
std::vector<std::string> CapabilitiesOf(const Options& options);

}  // namespace muster::site
