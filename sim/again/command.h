// `muster sim again FILE...`: recorded turns of daemons taken again.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::sim {

// What its command line says.
struct AgainCommand {
  std::vector<std::string> files;
  CLI::App* app = nullptr;
};

// Adds the subcommand. REQUIRES: `command` outlives the parsing.
void AddAgain(CLI::App& app, AgainCommand& command);
// Runs it; the exit code: 0 all equal, 1 a difference, 2 a file that is no recording.
int RunAgain(const AgainCommand& command);

}  // namespace muster::sim
