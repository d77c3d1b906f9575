// Answers what a change would do, from a snapshot of the running federation.
#pragma once

#include "base/status.h"
#include "schemas/whatif_order.h"
#include "sim/whatif/snapshot.h"

namespace muster::sim {

// Runs the federation twice, as it is and changed. A change that is refused is part of the answer.
// Errors: no site shows its records; a daemon's records or configuration cannot be used.
absl::StatusOr<schemas::WhatIfView> AnswerWhatIf(const schemas::WhatIfOrder& order,
                                                 const FederationSnapshot& snapshot);

}  // namespace muster::sim
