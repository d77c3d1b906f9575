// What members are told: orders name a target, so that they can be said again until it is reached.
// protocol.md sections 2, 3.2 and 4.
#pragma once

#include <optional>
#include <string>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// C1: the order that has this member make its hold.
schemas::HoldOrder HoldOrderFor(const AttemptsLayer& f, const Turn& t, const Request& request,
                                const Attempt& attempt, const std::string& site);
// C4, C8: the permit of this attempt, with a secret of the pool. REQUIRES: a secret at hand.
schemas::Permit DrawPermit(AttemptsLayer& f, const Request& request, const Attempt& attempt);

// The order that brings this member to where the attempt stands; none if it is there.
std::optional<schemas::Order> OrderDue(const AttemptsLayer& f, const Turn& t,
                                       const Attempt& attempt, const std::string& site);
// Says the orders that its members have not obeyed, in the state that it has just entered.
void GiveOrdersDue(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Says orders again that a member has not obeyed yet: commit, permit, release (kRepeat, then less
// often).
void RepeatOrders(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Every member that is not closed is to be told to release, now and again until it has.
void Release(AttemptsLayer& f, Attempt& attempt, const schemas::Cause& cause);

}  // namespace muster::meta
