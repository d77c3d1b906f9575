// Orders to members. An order names a target state, so it can be repeated until that is reached.
// protocol.md sections 2, 3.2 and 4.
#pragma once

#include <optional>
#include <string>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// C1: the order to this member to create its hold.
schemas::HoldOrder HoldOrderFor(const AttemptsLayer& f, const Turn& t, const Request& request,
                                const Attempt& attempt, const std::string& site);
// C4, C8: the permit of this attempt, with a secret from the pool. REQUIRES: the pool is not empty.
schemas::Permit DrawPermit(AttemptsLayer& f, const Request& request, const Attempt& attempt);

// The order that brings this member to the state of the attempt. None if the member is there
// already, if its hold is closed, or if the attempt is HOLDING or past the D of its permit.
std::optional<schemas::Order> OrderDue(const AttemptsLayer& f, const Turn& t,
                                       const Attempt& attempt, const std::string& site);
// Sends the orders that are due in the state just entered and that members have not obeyed.
void GiveOrdersDue(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Repeats commit, permit and release orders that a member has not obeyed yet, ever less often
// except for permits.
void RepeatOrders(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Marks the attempt released and records the cause, unless it has one: from now on the order due at
// every member is to release, until its hold is closed.
void Release(AttemptsLayer& f, Attempt& attempt, const schemas::Cause& cause);

}  // namespace muster::meta
