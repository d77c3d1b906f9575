// The log of a daemon: one line per event on stderr, with time and level, flushed at once. Written
// through spdlog by whoever has something to say.
#pragma once

#include <string>

namespace muster::io {

// From here on spdlog's default logger is that log. `daemon` names it: "site", "meta".
void OpenLog(const std::string& daemon);

}  // namespace muster::io
