// Slurm's errors as statuses.
#pragma once

#include <string>

#include "base/status.h"

namespace muster::driver::slurm {

// Of the call that has just failed in this thread; `what`: what could not be done.
absl::Status SlurmError(const std::string& what);
// Whether it failed because nothing has changed since the time asked for.
bool SaysUnchanged();

}  // namespace muster::driver::slurm
