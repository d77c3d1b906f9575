// Fills in the asking user in the entries of a proposal.
#pragma once

#include <string>

#include "meta/search/layer.h"
#include "schemas/proposal.h"

namespace muster::meta {

// Sets the credentials, the urgency, array element and reservation, by which sites apply their
// limits. For a request on record, or for one that is not submitted.
void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const Request& request);
void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const schemas::RequestSpec& spec,
            const std::string& user, Moment now);

}  // namespace muster::meta
