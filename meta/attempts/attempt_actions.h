// Carries out the effects of the attempt table at the meta: records, figures, shadows, orders.
// verifier/attempt_executor.h defines their order. protocol.md sections 3.2, 4, 5.
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"
#include "verifier/attempt_table.h"

namespace muster::meta {

// Why a place is given back whose request is cancelled or parked: by its user, or because a job
// that it was to come after ended so that it cannot start.
schemas::Cause CauseOfGivingBack(const Request& request);

// Moves the attempt into the next state and carries out the effects of the step. An attempt that
// the step closes stays in the tables. REQUIRES: `step` is a row of the table.
void TakeStep(AttemptsLayer& f, Turn& t, Request& request, Attempt& attempt,
              const verifier::AttemptStep& step);

}  // namespace muster::meta
