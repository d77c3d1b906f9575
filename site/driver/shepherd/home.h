// The folders and streams of a running part, for watch.h and notice.h.
#pragma once

namespace muster::shepherd {

// `folder`: the part's folder, into which the daemon writes new limits. `where`: its working
// directory. The streams are for the command of a notice; -1 if the notice has no command.
struct Home {
  int folder = -1;
  const char* where = nullptr;
  int stdout_fd = -1;
  int stderr_fd = -1;
};

}  // namespace muster::shepherd
