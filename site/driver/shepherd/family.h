// Everything that descends from the shepherd, whatever session or process group it fled into: a
// subreaper stays the ancestor of all of them.
#pragma once

#include <sys/types.h>

namespace muster::shepherd {

// Sends `signal` to every descendant of this process outside the process group `except` (0: to
// all). Looks through /proc once; what is forked meanwhile is met by the next call.
void SignalDescendants(int signal, pid_t except);

}  // namespace muster::shepherd
