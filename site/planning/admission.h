// Whether an order's own words can be taken at all, before any plan is asked: sizes, spans and
// amounts of whoever is at the other end. What fails is answered, never a crash. protocol.md
// sections 2 (bounds), 12; G8.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/site_link.h"
#include "site/options.h"

namespace muster::site {

// Why these parts can never be planned; none if they can. Afterwards no arithmetic on their spans,
// offsets, tails and amounts can overflow.
std::optional<schemas::Reason> FaultOf(const std::vector<schemas::PartDemand>& parts);

// Why this order can never be taken; none if it can. Includes FaultOf its parts, the payload's size
// and digest.
std::optional<schemas::Reason> FaultOf(const schemas::HoldOrder& order, const Options& options);

// A permit's sizes and last start are sane.
bool Sane(const schemas::Permit& permit);
// The federation's values can be worked with: section 9's order among them, and a heartbeat neither
// idle nor wild.
bool Sane(const schemas::ProtocolValues& values);

// Answers made of a reason.
schemas::VerdictEntry Never(schemas::Reason reason);
schemas::VerdictEntry Blocked(schemas::ReasonCode code, std::string resource, std::string text);

}  // namespace muster::site
