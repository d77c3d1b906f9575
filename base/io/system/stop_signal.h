// Signals of a daemon: TERM and INT set a stop flag that the main loop checks between turns, HUP
// requests a reload of the configuration, PIPE is ignored.
#pragma once

namespace muster::io {

// Installs the handlers. A signal wakes a waiting poll.
void WatchStopSignals();
// Whether TERM or INT has arrived.
bool StopRequested();
// Whether HUP has arrived since the last call.
bool TakeReloadRequest();

}  // namespace muster::io
