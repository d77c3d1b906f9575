// What stays where it is when nodes are drained softly, and until when: the plan of their sites,
// read for these nodes. cli.md section 3 (drain, whatif).
#pragma once

#include <string>
#include <vector>

#include "cli/documents.h"
#include "cli/verbs/verb.h"

namespace muster::cli {

// One entry for each of `nodes`, "lakes/n1" or, at a site that is asked itself, "n1"; times in the
// text are as in JSON.
Expect<std::vector<NodeStays>> StaysOn(Session& session, const std::vector<std::string>& nodes);

}  // namespace muster::cli
