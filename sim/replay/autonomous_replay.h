// Jobs through the autonomous scheduler and the machines of the sites, which map at run time what
// they are sent: the baseline of the paper's experiment. CCS Sect. 4.1, scheduling.md section 10.
#pragma once

#include <vector>

#include "base/status.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// The same options, jobs and outcomes as of ReplayFederation: what is told first is the estimate at
// submission, the promise is the start that is planned on entering the scheduler, and nothing keeps
// it. Errors: jobs of several parts, or such as are cancelled: this scheduler knows neither.
absl::StatusOr<FederationResult> ReplayAutonomous(const FederationReplayOptions& options,
                                                  const std::vector<FederationJob>& jobs);

}  // namespace muster::sim
