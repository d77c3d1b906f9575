// A signal handler may safely set only a flag. poll then returns early, and the loop ends after its
// turn.
#include "base/io/system/stop_signal.h"

#include <csignal>

namespace muster::io {
namespace {

volatile std::sig_atomic_t stop = 0;
volatile std::sig_atomic_t reload = 0;

void Stop(int) { stop = 1; }
void Reload(int) { reload = 1; }

}  // namespace

void WatchStopSignals() {
  struct sigaction action{};
  action.sa_handler = Stop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  struct sigaction again{};
  again.sa_handler = Reload;
  sigaction(SIGHUP, &again, nullptr);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

bool StopRequested() { return stop != 0; }

bool TakeReloadRequest() {
  if (reload == 0) return false;
  reload = 0;  // reset before the file is read, so that a HUP during the read counts again
  return true;
}

}  // namespace muster::io
