// A script of `muster sim script`: which jobs are submitted when, and how long they really run.
// Live daemons with the same configurations can play the same file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/time.h"

namespace muster::config {

// Runs `muster submit WORDS` at a given time.
struct ScriptedJob {
  uint32_t line = 0;   // line of its heading
  std::string name;    // unique
  BootSpan at;         // time from the beginning of the script; ascending
  std::string submit;  // WORDS, to be split as by a shell; they end with "-- sleep SECONDS"
  std::optional<BootSpan> cancel_at;
};

// Runs `muster drain NODES` at `at`, and `muster resume NODES` at `until`.
struct ScriptedDrain {
  BootSpan at;
  std::optional<BootSpan> until;
  std::vector<std::string> nodes;  // "lakes/n1"
  bool hard = false;
};

struct ScriptConfig {
  std::string path;
  std::string meta;                // path of meta.toml, relative to the script's folder
  std::vector<std::string> sites;  // paths of the sites' site.toml
  std::string user;                // who runs all commands: an operator of the federation
  Span length;                     // how long the run is observed
  std::vector<ScriptedJob> jobs;
  std::vector<ScriptedDrain> drains;
};

// Errors: the first error of the file.
Diagnosed<ScriptConfig> ReadScriptConfig(const std::string& path);
Diagnosed<ScriptConfig> ParseScriptConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
