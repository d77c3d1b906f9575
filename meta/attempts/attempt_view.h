// An attempt as input to the table of verifier/attempt_table.h: what its members reported, what its
// request wants, and whether its permit may be given. protocol.md sections 3.2, 4, 6.
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"
#include "verifier/attempt.h"

namespace muster::meta {

// The present input to the table.
verifier::AttemptView ViewOf(const AttemptsLayer& f, const Turn& t, const Attempt& attempt);

// True if all members of this attempt are bound (PREPARED with a barrier, else COMMITTED) and it is
// to replace a permitted attempt. The old attempt is then released, and the new one gets its permit
// once the old one is known not to have started.
bool Yields(const AttemptsLayer& f, const Request& request, const Attempt& attempt);

}  // namespace muster::meta
