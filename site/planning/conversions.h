// Converts the protocol's structs to the plan's own types, and back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"
#include "site/plan/order.h"
#include "verifier/planner.h"

namespace muster::site {

// `whole`: every part is exclusive. Set on machines with a geometry, where a part gets a whole
// partition of nodes.
plan::Order OrderOf(const std::vector<schemas::PartDemand>& parts, std::string label,
                    plan::Consumer who, bool element, bool whole);
// The same for a hold. It counts as the federation's unless its fence has epoch 0, as those of the
// site's own users have.
plan::Order OrderOf(const Fence& fence, const verifier::Demand& demand, bool whole);
Credentials CredentialsOf(const schemas::ProposalEntry& entry);
// How many intervals of feasible starts a verdict on this entry has at most.
size_t IntervalsOf(const schemas::ProposalEntry& entry);

// `site`: the name of the answering site, which both put into the reason.
schemas::Reason ReasonOf(const plan::Why& why, const std::string& site);
void FillRefusal(schemas::VerdictEntry& entry, const plan::Refused& refused,
                 const std::string& site);

}  // namespace muster::site
