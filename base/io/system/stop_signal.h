// TERM and INT as a flag that a daemon's loop looks at between turns; HUP and PIPE are ignored.
#pragma once

namespace muster::io {

// Installs the handlers; a waiting poll is woken by them.
void WatchStopSignals();
// True once one of them came.
bool StopRequested();

}  // namespace muster::io
