// Takes away all that a site has put into its cluster: `muster-sited --leave`. REQUIRES: its daemon
// does not run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "site/driver/slurm/options.h"

namespace muster::driver::slurm {

struct Removed {
  std::vector<std::string> ended;    // jobs that ran: "17 mu_ABCD_token of ana"
  std::vector<std::string> waiting;  // jobs that did not run yet
  std::vector<std::string> walls;    // reservations
  std::vector<std::string> closed;   // reservations of the commons that mapped accounts could enter
  std::vector<std::string> left;     // what could not be removed, and why
  std::string outputs;               // the folder where output of parts is kept; "": there is none
};

// Takes the tokens of its jobs, so that none begins later, whatever the controller remembers; ends
// jobs, those that run by TERM first; drops reservations. Takes up to half a minute. Errors: the
// cluster or the shared folder is not reached.
absl::StatusOr<Removed> LeaveCluster(const SlurmOptions& options);

}  // namespace muster::driver::slurm
