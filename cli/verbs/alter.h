// What the options of `alter` say, for the verb itself and for `whatif alter`.
#pragma once

#include "cli/verbs/verb.h"
#include "schemas/client.h"

namespace muster::cli {

// Errors are usage errors: nothing is changed by nothing, parts are altered one at a time.
Expect<schemas::Alteration> ReadAlteration(const Given& given, const text::JobSet& set,
                                           const Surroundings& around);

}  // namespace muster::cli
