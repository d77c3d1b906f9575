// Parses the options of `alter`, for the verb itself and for `whatif alter`.
#pragma once

#include "cli/verbs/verb.h"
#include "schemas/client.h"

namespace muster::cli {

// Errors are usage errors: no change is given, or several parts are named.
Expect<schemas::Alteration> ReadAlteration(const Given& given, const text::JobSet& set,
                                           const Surroundings& around);

}  // namespace muster::cli
