// Starts the command of a part.
#pragma once

#include <sys/types.h>

#include "site/driver/shepherd/spec.h"

namespace muster::shepherd {

// Result of a launch. `error` is an errno, 0 if the command runs as `pid`.
struct Launched {
  pid_t pid = -1;
  int error = 0;
  const char* step = nullptr;  // the step that failed; null: the exec of the command itself
};

// Spawns the command in its own process group, as the part's account, in `folder`, with the given
// streams, default signal handling and no other open files. Returns when the command runs, or when
// the launch has failed and all its processes are reaped.
Launched Launch(const Spec& spec, const char* folder, int stdout_fd, int stderr_fd);

}  // namespace muster::shepherd
