// Word to a running part before its time ends: a signal, a command beside it, or both. OpenCCS
// Sect. 5.4; given by the shepherd itself, so that it comes while no daemon runs.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "site/driver/shepherd/home.h"
#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

class Notice {
 public:
  // Both outlive it.
  Notice(const Spec& spec, const Home& home) : spec_(spec), home_(home) {}

  // The signal goes to every process of the command's group. The notice's own command runs as the
  // part does, in its folder, to its output and in its environment, but for MUSTER_ENDS_BY, which
  // says the end as it is now. It ends with the part. REQUIRES: `command` was not reaped.
  void Give(pid_t command, int64_t left_ms) const;

 private:
  void RunCommand(int64_t left_ms) const;

  const Spec& spec_;
  const Home& home_;
};

}  // namespace muster::shepherd
