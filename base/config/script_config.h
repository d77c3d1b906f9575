// A script of `muster sim script`: who submits what when, and how long it really runs. The same
// file is played on live daemons, with the same configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/time.h"

namespace muster::config {

// `muster submit WORDS` at that time.
struct ScriptedJob {
  uint32_t line = 0;   // of its heading
  std::string name;    // unique
  BootSpan at;         // from the script's beginning; ascending
  std::string submit;  // the words, as a shell would split them; they end with "-- sleep SECONDS"
  std::optional<BootSpan> cancel_at;
};

// `muster drain NODES` at that time, and `muster resume NODES` later.
struct ScriptedDrain {
  BootSpan at;
  std::optional<BootSpan> until;
  std::vector<std::string> nodes;  // "lakes/n1"
  bool hard = false;
};

struct ScriptConfig {
  std::string path;
  std::string meta;                // meta.toml, from the script's folder
  std::vector<std::string> sites;  // site.toml of each
  std::string user;                // who does all this: an operator of the federation
  Span length;                     // how long it is watched
  std::vector<ScriptedJob> jobs;
  std::vector<ScriptedDrain> drains;
};

// The first error of the file, if it has one.
Diagnosed<ScriptConfig> ReadScriptConfig(const std::string& path);
Diagnosed<ScriptConfig> ParseScriptConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
