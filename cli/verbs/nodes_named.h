// Nodes as operators name them: "lakes/n1", "lakes/n[1-4]"; at a site its name may be left out.
#pragma once

#include <string>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// "lakes/n1" each, and without a site where `site` is asked itself. Errors are usage errors.
Expect<std::vector<std::string>> NodesNamed(const std::vector<std::string>& words,
                                            const std::string& site);

}  // namespace muster::cli
