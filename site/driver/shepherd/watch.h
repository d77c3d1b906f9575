// Watches a running part: enforces its walltime, obeys the daemon's signals, and reaps its
// processes until the last one is gone.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "site/driver/shepherd/home.h"
#include "site/driver/shepherd/record.h"
#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

// Blocks SIGTERM, StopSignal, LookSignal, SIGCHLD, SIGINT and SIGHUP, and returns a descriptor that
// delivers them, or -1 on failure. REQUIRES that nothing was spawned yet.
int BlockSignals();

// Sends news to the daemon, if the daemon still listens. Never blocks.
class Teller {
 public:
  Teller(int fd, uint64_t serial) : fd_(fd), serial_(serial) {}
  void Started(int64_t at_ms) { started_ms_ = at_ms, Retry(); }
  void Ending() { ending_ = true, Retry(); }
  // True while some news was not sent because the pipe was full.
  bool pending() const { return fd_ >= 0 && (started_ms_ >= 0 || ending_); }
  void Retry();

 private:
  bool Write(uint32_t kind, int64_t at_ms);
  int fd_;
  uint64_t serial_;
  int64_t started_ms_ = -1;
  bool ending_ = false;
};

// Returns when no process of the part is left. `command` has run since boot time `started_boot_ms`.
// If `ending->by` is set, the part is killed at once for that reason. Fills in how the part ended
// and what it used.
void Watch(const Spec& spec, const Home& home, int signals, pid_t command, int64_t started_boot_ms,
           Teller* teller, Ending* ending);

}  // namespace muster::shepherd
