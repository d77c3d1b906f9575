// The protocol's structs as the plan's own types, and back.
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

// With `whole`, nodes are had alone: they are units of a partition.
plan::Order OrderOf(const std::vector<schemas::PartDemand>& parts, std::string label,
                    plan::Consumer who, bool element, bool whole);
// The same of a hold. Epoch 0 is that of the site's own users.
plan::Order OrderOf(const Fence& fence, const verifier::Demand& demand, bool whole);
// How many intervals of feasible starts a verdict on this entry has at most.
size_t IntervalsOf(const schemas::ProposalEntry& entry);

// Both name the site that speaks.
schemas::Reason ReasonOf(const plan::Why& why, const std::string& site);
void FillRefusal(schemas::VerdictEntry& entry, const plan::Refused& refused,
                 const std::string& site);

}  // namespace muster::site
