// A script played by the cores of the daemons in virtual time, over the real protocol, each made of
// its daemon's own configuration: what a live federation is compared with.
#pragma once

#include <string>
#include <vector>

#include "base/config/script_config.h"
#include "base/status.h"
#include "schemas/views.h"

namespace muster::sim {

// What became of a script.
struct ScriptResult {
  struct Job {
    std::string name;
    schemas::JobView view;  // as `muster show` has it, at the end
  };
  Moment begins;                        // of the script: what its times count from
  std::vector<Job> jobs;                // in the order of the script
  std::vector<std::string> refused;     // a line each
  std::vector<std::string> violations;  // of what checkers hold the federation to
};

struct ScriptOptions {
  uint64_t seed = 1;                 // of back-offs, drawn by daemons
  Moment begins{1'800'000'000'000};  // a whole second
};

// Errors: a configuration that is not understood, words that are no submission or do not end with
// "-- sleep SECONDS", an unknown user, sites with a geometry.
absl::StatusOr<ScriptResult> PlayScript(const config::ScriptConfig& script,
                                        const ScriptOptions& options);

}  // namespace muster::sim
