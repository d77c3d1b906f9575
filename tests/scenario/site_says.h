// What a site says to a meta, as lines of a scenario's trace: what its own scenarios expect of it,
// and what scenarios of the meta make it say.
#pragma once

#include <string>
#include <vector>

#include "schemas/site_link.h"

namespace muster::scenario {

using SiteMessageBody = decltype(schemas::ToMeta::body);

// Instants are shown as seconds after `zero`. Lines after the first that open with two spaces
// belong to the one before.
std::vector<std::string> SaidBySite(const SiteMessageBody& body, Instant zero);

// A hold on record, in one line.
std::string TraceOf(const schemas::HoldRecord& hold, Instant zero);

}  // namespace muster::scenario
