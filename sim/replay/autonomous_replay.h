// Replays jobs through the autonomous scheduler and the sites' machines, which map each job when it
// is sent: the baseline of the paper's experiment. CCS Sect. 4.1, scheduling.md section 10.
#pragma once

#include <vector>

#include "base/status.h"
#include "sim/replay/federation_replay.h"

namespace muster::sim {

// Same options, jobs and outcomes as ReplayFederation. The promise is the start planned on entering
// the scheduler, and nothing enforces it. The first figure is the estimate at submission, or the
// promise if the job enters at once. Errors: a job with several parts or a cancellation, which this
// scheduler does not support.
absl::StatusOr<FederationResult> ReplayAutonomous(const FederationReplayOptions& options,
                                                  const std::vector<FederationJob>& jobs);

}  // namespace muster::sim
