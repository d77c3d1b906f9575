// Optional abilities of a site, one word each, for people and programs (`muster sites`, JSON). The
// meta goes by "lends", "lends-beyond", "order", "recalls-for-some" and "shares" alone, which say
// what the site wants to be told, and for what it wants to be asked.
#pragma once

#include <string>
#include <vector>

#include "site/options.h"

namespace muster::site {

// The site's words in ascending order. There are "extend" (running parts may get more time),
// "jobwide" (job-wide resources, such as licences), "lends" ([lent]: idle room is lent to jobs that
// may be recalled), "lends-beyond:5%" (users of other homes get lent room alone once it gave them
// so much more than its own took elsewhere), "order" ([priority]: holds are moved earlier by points
// of the site), "partitions" (a mesh, cube or torus: nodes are given out as partitions),
// "recalls-for-some" ([lent] recalled_for: lent work is recalled for those alone), "shares"
// (these points weigh the shares of the federation), "switches" (a part may ask for nodes below one
// switch), "users" (the site takes jobs of its own users), and the words of the
// driver (DriverFacts::capabilities).
std::vector<std::string> CapabilitiesOf(const Options& options);

// Whether lent work is recalled for everybody who is due, so that nobody waits for it.
bool RecallsForAll(const Options& options);

}  // namespace muster::site
