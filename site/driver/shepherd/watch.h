// The life of a running part: its walltime, the daemon's word, its processes until the last one is
// gone.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "site/driver/shepherd/home.h"
#include "site/driver/shepherd/record.h"
#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

// SIGTERM, StopSignal, LookSignal, SIGCHLD, SIGINT and SIGHUP are blocked and come through a
// descriptor; call before anything is spawned. -1 on failure.
int BlockSignals();

// Tells the daemon, if it still listens. Never blocks.
class Teller {
 public:
  Teller(int fd, uint64_t serial) : fd_(fd), serial_(serial) {}
  void Started(int64_t at_ms) { started_ms_ = at_ms, Retry(); }
  void Ending() { ending_ = true, Retry(); }
  // True while something could not be told because the pipe was full.
  bool pending() const { return fd_ >= 0 && (started_ms_ >= 0 || ending_); }
  void Retry();

 private:
  bool Write(uint32_t kind, int64_t at_ms);
  int fd_;
  uint64_t serial_;
  int64_t started_ms_ = -1;
  bool ending_ = false;
};

// Stays until no process of the part is left. `command` runs since boot time `started_boot_ms`;
// `by` preset: it is killed at once, for that reason. Fills in how it ended and what it used.
void Watch(const Spec& spec, const Home& home, int signals, pid_t command, int64_t started_boot_ms,
           Teller* teller, Ending* ending);

}  // namespace muster::shepherd
