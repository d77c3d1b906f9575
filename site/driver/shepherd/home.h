// Where a part lives, for those who watch it and bring it word.
#pragma once

namespace muster::shepherd {

// The part's folder, which the daemon writes new limits to; its working directory and streams, for
// the command of a notice.
struct Home {
  int folder = -1;
  const char* where = nullptr;
  int stdout_fd = -1;
  int stderr_fd = -1;
};

}  // namespace muster::shepherd
