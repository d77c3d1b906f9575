// All descendants of the shepherd, whatever session or process group they moved to: the shepherd is
// a subreaper and so stays the ancestor of all of them.
#pragma once

#include <sys/types.h>

namespace muster::shepherd {

// Sends `signal` to every descendant of this process outside the process group `except` (0: to
// all). Reads /proc once; processes forked meanwhile are found by the next call.
void SignalDescendants(int signal, pid_t except);

// Sends STOP to every descendant that is not stopped. True if there was one: processes forked
// meanwhile may still run, so the caller looks again.
bool StopDescendants();

}  // namespace muster::shepherd
