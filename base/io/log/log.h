// The log of a daemon: one line per event on stderr, with time and level, flushed at once. Code
// writes to it through spdlog.
#pragma once

#include <string>

namespace muster::io {

// Makes this log spdlog's default logger. `daemon` is its name: "site", "meta".
void OpenLog(const std::string& daemon);

}  // namespace muster::io
