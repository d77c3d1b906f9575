// Parses node names as operators type them: "lakes/n1", "lakes/n[1-4]"; with --via the site's name
// may be left out.
#pragma once

#include <string>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// Returns "lakes/n1" each, or "n1" if the site `site` is asked directly. Errors are usage errors.
Expect<std::vector<std::string>> NodesNamed(const std::vector<std::string>& words,
                                            const std::string& site);

}  // namespace muster::cli
