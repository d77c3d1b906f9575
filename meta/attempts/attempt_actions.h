// The effects of the table of attempts, as the meta carries them out: records, figures, shadows,
// orders. verifier/attempt_executor.h says in which order. protocol.md sections 3.2, 4, 5.
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"
#include "verifier/attempt_table.h"

namespace muster::meta {

// Takes the attempt into the next state and carries the effects of the step out, with this turn.
// One that it closed is still on the books. REQUIRES: a row of the table.
void TakeStep(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt,
              const verifier::AttemptStep& step);

}  // namespace muster::meta
