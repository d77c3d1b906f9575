// The simulated driver on the real clock: to try out or load a federation without running anything.
#pragma once

#include <memory>
#include <vector>

#include "base/io/clock.h"
#include "base/status.h"
#include "site/driver/driver.h"

namespace muster::site {

// Parts "run" for their walltime and exit with 0. They do not survive the daemon. `clock` outlives
// the driver.
absl::StatusOr<std::unique_ptr<driver::Driver>> TimedSimulation(io::Clock& clock);

}  // namespace muster::site
