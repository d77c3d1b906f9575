// The life of attempts: what their members told is put before the table of
// verifier/attempt_table.h; attempt_actions.h carries its effects out. protocol.md sections 3.2,
// 4, 5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"
#include "verifier/attempt.h"

namespace muster::meta {

// What is to be held for a request.
struct HoldWish {
  std::vector<std::string> part_sites;  // of each part, in part order
  IntervalSet allowed;                  // starts
  Instant estimate;                     // where the meta books it in its own shadows
  bool of_block = false;                // it left the waiting room with a block
};

// C1: a new attempt to run the request there, at one of the allowed starts. Orders go out with this
// turn.
void HoldAttempt(AttemptsLayer& f, Turn& t, Request& request, HoldWish wish);

// Puts what is known of the attempt before the table until nothing more is due. Unknown fences:
// nothing.
void Evaluate(AttemptsLayer& f, Turn& t, const Fence& fence);
// What the table is asked about.
verifier::AttemptView ViewOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt);

// WaitOf (meta/requests/attempt_facts.h) of the attempt that would be made of the request now, at
// one site.
Span TailAlone(const AttemptsLayer& f, const Turn& t, const Request& request);

// What a permitted attempt at another site is to be given back for, held everywhere: it gets its
// permit only when that one is known not to have started.
bool Yields(const AttemptsLayer& f, const Request& request, const Attempt& attempt);

// Tells every member that is not closed to release, now and again until it has.
void Release(AttemptsLayer& f, Attempt& attempt, const schemas::Cause& cause);
// Says the orders that its members have not obeyed, in the state that it has just entered.
void GiveOrdersDue(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Says orders again that a member has not obeyed yet: commit, permit, release (kRepeat, then less
// often).
void RepeatOrders(AttemptsLayer& f, Turn& t, Attempt& attempt);
// The order that brings this member to where the attempt stands; none if it is there.
std::optional<schemas::Order> OrderDue(const AttemptsLayer& f, const Turn& t,
                                       const Attempt& attempt, const std::string& site);

// C1: the order that has this member make its hold.
schemas::HoldOrder HoldOrderFor(const AttemptsLayer& f, const Turn& t, const Request& request,
                                const Attempt& attempt, const std::string& site);

// Books the attempt in the shadow of one member, at `start`; or frees it. What that gives back is
// noted for those who wait.
void BookShadow(AttemptsLayer& f, const Attempt& attempt, const std::string& site, Instant start);
void FreeShadow(AttemptsLayer& f, const Fence& fence, const std::string& site);

// Takes a closed attempt off the books; what its request still shows of it stays on record.
void CloseAttempt(AttemptsLayer& f, Turn& t, Attempt& attempt);
// Takes the records of an attempt away that no request shows any more. REQUIRES: it is closed or
// unknown.
void EraseAttempt(AttemptsLayer& f, const Fence& fence);

// C4, C8: the permit of this attempt, with a secret of the pool. REQUIRES: a secret at hand.
schemas::Permit DrawPermit(AttemptsLayer& f, const Request& request, const Attempt& attempt);

}  // namespace muster::meta
