// Brings the command of a part to life.
#pragma once

#include <sys/types.h>

#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

// What the launch came to. `error` is an errno, 0 if the command runs as `pid`.
struct Launched {
  pid_t pid = -1;
  int error = 0;
  const char* step = nullptr;  // what failed; null if it was the exec of the command itself
};

// Spawns the command in a process group of its own, as the part's account, in `folder`, with the
// given streams, all signals at their defaults, and nothing else open. Returns when it runs, or
// when all that was spawned is reaped.
Launched Launch(const Spec& spec, const char* folder, int stdout_fd, int stderr_fd);

}  // namespace muster::shepherd
