// A notice to a running part before its walltime ends: a signal, a command beside the part's own,
// or both (OpenCCS Sect. 5.4). The shepherd gives it, so that it comes even while no daemon runs.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "site/driver/shepherd/home.h"
#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

class Notice {
 public:
  // REQUIRES that both arguments outlive the notice.
  Notice(const Spec& spec, const Home& home) : spec_(spec), home_(home) {}

  // Gives the notice `left_ms` before the end of the walltime. The signal goes to every process of
  // the command's group. The notice's own command runs as the part does: in its folder, with its
  // output and its environment, except that MUSTER_ENDS_BY is the present end. It ends with the
  // part. REQUIRES: `command` was not reaped.
  void Give(pid_t command, int64_t left_ms) const;

 private:
  void RunCommand(int64_t left_ms) const;

  const Spec& spec_;
  const Home& home_;
};

}  // namespace muster::shepherd
