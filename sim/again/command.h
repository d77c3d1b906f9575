// `muster sim again FILE...`: replays recorded turns of daemons.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::sim {

// The parsed command line.
struct AgainCommand {
  std::vector<std::string> files;
  CLI::App* app = nullptr;
};

// Adds the subcommand. REQUIRES: `command` outlives the parsing.
void AddAgain(CLI::App& app, AgainCommand& command);
// Runs the subcommand. Returns the exit code: 0 if all files replay equally, 1 on a difference, 2
// if a file cannot be replayed.
int RunAgain(const AgainCommand& command);

}  // namespace muster::sim
