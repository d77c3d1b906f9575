// Checks an order's own values before any plan is asked: a peer may send any sizes, spans and
// amounts. A failed check leads to an answer, never to a crash. protocol.md sections 2 (bounds),
// 12; G8.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/site_link.h"
#include "site/options.h"

namespace muster::site {

// The fault for which these parts can never be planned; none if they have no fault. Then no
// arithmetic on their spans, offsets, tails and amounts overflows.
std::optional<schemas::Reason> FaultOf(const std::vector<schemas::PartDemand>& parts);

// The fault for which this order can never be taken; none if it has no fault. Checks the order's
// parts as well, and the payload's size and digest.
std::optional<schemas::Reason> FaultOf(const schemas::HoldOrder& order, const Options& options);

// Why parts of this user cannot run at this site, whose driver maps users to accounts; none: they
// can.
std::optional<schemas::Reason> WhyNoAccount(const std::string& user, const Options& options);

// The fault for which this entry can never be answered; none if it has no fault. Checks its parts.
std::optional<schemas::Reason> FaultOf(const schemas::ProposalEntry& entry, const Options& options);

// Are the terms within their bounds?
bool Sane(const schemas::Contract& contract);
// Are the permit's sizes and its last start within bounds?
bool Sane(const schemas::Permit& permit);
// Can the site work with these protocol values? They must be ordered as protocol.md section 9 says,
// and the heartbeat must be neither too rare nor too frequent.
bool Sane(const schemas::ProtocolValues& values);

// Verdict entries made from a reason.
schemas::VerdictEntry Never(schemas::Reason reason);
schemas::VerdictEntry Blocked(schemas::ReasonCode code, std::string resource, std::string text);

}  // namespace muster::site
