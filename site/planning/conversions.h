// Converts the protocol's structs to the plan's own types, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/node_set.h"
#include "schemas/driver_facts.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"
#include "site/plan/order.h"
#include "verifier/planner.h"

namespace muster::site {

// What a site makes of every part.
struct Habits {
  // Each part is exclusive: on machines with a geometry it gets a whole partition of nodes.
  bool whole = false;
  // The node set of parts that name none, or, if `forced`, of all but reservations. Maui Sect. IV.
  std::optional<NodeSet> set = {};
  bool forced = false;
  Span booked_in = {};  // of the driver: parts are booked for a whole number of these
  bool even = false;    // of the driver: parts get the same of each of their nodes
};

plan::Order OrderOf(const std::vector<schemas::PartDemand>& parts, std::string label,
                    plan::Consumer who, bool element, const Habits& habits);
// The same for a hold. It counts as the federation's unless its fence has epoch 0, as those of the
// site's own users have.
plan::Order OrderOf(const Fence& fence, const verifier::Demand& demand, const Habits& habits);
Credentials CredentialsOf(const schemas::ProposalEntry& entry);
// How many intervals of feasible starts a verdict on this entry has at most.
size_t IntervalsOf(const schemas::ProposalEntry& entry);

// `site`: the name of the answering site, which both put into the reason.
schemas::Reason ReasonOf(const plan::Why& why, const std::string& site);
void FillRefusal(schemas::VerdictEntry& entry, const plan::Refused& refused,
                 const std::string& site);

}  // namespace muster::site
