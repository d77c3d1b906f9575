// Parses what `account deposit`, `transfer` and `adjust` post, for the verb itself and for
// `whatif`.
#pragma once

#include "cli/verbs/verb.h"

namespace muster::cli {

// Errors are usage errors. REQUIRES: the first word is one of the three.
Expect<schemas::Act> ReadPosting(const Given& given);

}  // namespace muster::cli
