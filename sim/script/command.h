// `muster sim script FILE`: a script played in virtual time.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace muster::sim {

// The parsed command line.
struct ScriptCommand {
  std::string file;
  std::string link = "real";
  uint64_t seed = 1;
  int64_t begins = 1'800'000'000;
  bool json = false;
  CLI::App* app = nullptr;
};

// Adds the subcommand. REQUIRES: `command` outlives the parsing.
void AddScript(CLI::App& app, ScriptCommand& command);
// Runs the subcommand. Returns the exit code: 0 played; 1 a broken promise or refused submission; 2
// an invalid script.
int RunScript(const ScriptCommand& command);

}  // namespace muster::sim
