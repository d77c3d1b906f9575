// `muster-sim what-if FILE`: the program that the meta starts to answer a what-if. It runs beside
// the daemons, so that none of them waits for it.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <string>

namespace muster::sim {

struct WhatIfCommand {
  std::string file;  // frames: the meta's records and those of sites, page by page, then the order
  std::string out;   // where the answer goes: one frame
  pid_t parent = 0;  // that waits for the answer; 0: nobody does
  CLI::App* app = nullptr;
};

// Adds the subcommand. REQUIRES: `command` outlives the parsing.
void AddWhatIf(CLI::App& app, WhatIfCommand& command);
// Runs the subcommand. Returns the exit code: 0 if the answer was written, 2 if there is none, and
// one line on stderr says why.
int RunWhatIf(const WhatIfCommand& command);

}  // namespace muster::sim
