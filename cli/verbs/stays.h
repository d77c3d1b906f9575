// Finds the bookings that stay on softly drained nodes, and until when, from the plans of their
// sites. cli.md section 3 (drain, whatif).
#pragma once

#include <string>
#include <vector>

#include "cli/documents.h"
#include "cli/verbs/verb.h"

namespace muster::cli {

// One entry for each of `nodes`: "lakes/n1" or, with --via, "n1". Times in the text are as in JSON.
Expect<std::vector<NodeStays>> StaysOn(Session& session, const std::vector<std::string>& nodes);

}  // namespace muster::cli
