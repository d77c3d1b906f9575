// TERM and INT as a flag that a daemon's loop looks at between turns, HUP as a wish to read the
// configuration again; PIPE is ignored.
#pragma once

namespace muster::io {

// Installs the handlers; a waiting poll is woken by them.
void WatchStopSignals();
// True once TERM or INT came.
bool StopRequested();
// True if HUP came since the last call.
bool TakeReloadRequest();

}  // namespace muster::io
