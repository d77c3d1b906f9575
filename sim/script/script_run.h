// Plays a script in virtual time over the real protocol. Each core is made from its daemon's own
// configuration file, so that the result can be compared with a live federation.
#pragma once

#include <string>
#include <vector>

#include "base/config/script_config.h"
#include "base/status.h"
#include "schemas/views.h"

namespace muster::sim {

// The result of a script.
struct ScriptResult {
  struct Job {
    std::string name;
    schemas::JobView view;  // as `muster show` shows it, at the end
  };
  Moment begins;                        // begin of the script, from which its times count
  std::vector<Job> jobs;                // in the order of the script
  std::vector<std::string> refused;     // refused submissions, one line each
  std::vector<std::string> violations;  // violations found by the checkers
};

struct ScriptOptions {
  uint64_t seed = 1;                 // of what the daemons draw
  Moment begins{1'800'000'000'000};  // a whole second
};

// Errors: an invalid configuration, a submission that cannot be parsed or does not end with "--
// sleep SECONDS", a user who is no operator, a site with a geometry.
absl::StatusOr<ScriptResult> PlayScript(const config::ScriptConfig& script,
                                        const ScriptOptions& options);

}  // namespace muster::sim
