// The life of attempts: what their members told is put before the table of
// verifier/attempt_table.h; attempt_actions.h carries its effects out. protocol.md sections 3.2,
// 4, 5.
#pragma once

#include <string>
#include <vector>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

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

// WaitOf (meta/requests/attempt_facts.h) of the attempt that would be made of the request now, at
// one site.
Span TailAlone(const AttemptsLayer& f, const Turn& t, const Request& request);

}  // namespace muster::meta
