// The life of attempts: the members' reports are put before the table of verifier/attempt_table.h;
// attempt_actions.h carries out its effects. protocol.md sections 3.2, 4, 5.
#pragma once

#include <string>
#include <vector>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The hold that is wanted for a request: its sites and allowed starts.
struct HoldWish {
  std::vector<std::string> part_sites;  // site of each part, in part order
  IntervalSet allowed;                  // allowed starts
  Instant estimate;                     // start that the meta books in its own shadows
  bool of_block = false;                // the request left the waiting room in a block
};

// C1: makes a new attempt to run the request at these sites, at one of the allowed starts. Its
// orders are sent with this turn.
void HoldAttempt(AttemptsLayer& f, Turn& t, Request& request, HoldWish wish);

// Applies the table to the attempt until no step is due, then gives the orders that are due. Does
// nothing for an unknown fence or a closed attempt.
void Evaluate(AttemptsLayer& f, Turn& t, const Fence& fence);

// WaitOf (meta/requests/attempt_facts.h) of an attempt that would be made for the request now, at
// one site.
Span TailAlone(const AttemptsLayer& f, const Turn& t, const Request& request);

}  // namespace muster::meta
