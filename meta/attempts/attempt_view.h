// An attempt as the table of verifier/attempt_table.h is asked about it: what its members have
// told, what its request wants, and whether its permit may be given. protocol.md sections 3.2,
// 4, 6.
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"
#include "verifier/attempt.h"

namespace muster::meta {

// What the table is asked about.
verifier::AttemptView ViewOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt);

// What a permitted attempt at another site is to be given back for, held everywhere: it gets its
// permit only when that one is known not to have started.
bool Yields(const AttemptsLayer& f, const Request& request, const Attempt& attempt);

}  // namespace muster::meta
