// Who asks a site, in each entry of a proposal.
#pragma once

#include <string>

#include "meta/search/layer.h"
#include "schemas/proposal.h"

namespace muster::meta {

// Who asks, and as what, for limits and reservations.
void SayWho(schemas::ProposalEntry& entry, const Request& request);
void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const schemas::RequestSpec& spec,
            const std::string& user, Moment now);

}  // namespace muster::meta
