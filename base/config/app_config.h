// Models of programs for replays (muster sim replay --app FILE): what the machines have, and which
// jobs are which program. Maui Sect. IV (Application Level Simulations).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace muster::config {

// Of each machine, in MB/s; none: never short.
struct MediaConfig {
  int64_t network = 0;  // link of each node
  int64_t memory = 0;   // each node
  int64_t storage = 0;  // of the site
};

// The first that fits a job counts. Users and executables are numbers of the trace.
struct AppConfig {
  std::string name;
  std::string model;                 // "fixed", "network", "memory", "staged", "malleable"
  std::vector<int64_t> users;        // empty: any
  std::vector<int64_t> executables;  // empty: any
  int64_t least = 1;                 // processors that it asks for
  std::optional<int64_t> most;       // none: any number
  int64_t share = 0;      // network, memory: thousandths of its time that it waits for these, alone
  int64_t bandwidth = 0;  // network, memory: MB/s of each processor
  int64_t reads = 0;      // staged: MB at its begin
  int64_t writes = 0;     // staged: MB at its end
  int64_t serial = 0;     // malleable: thousandths of its work that no second processor helps
  int64_t times = 1;      // malleable: it may have so many times the processors that it asks for
};

struct AppsConfig {
  MediaConfig media;
  std::vector<AppConfig> apps;  // at least one, with names of their own
};

Diagnosed<AppsConfig> ParseAppsConfig(const std::string& path, std::string_view text);
Diagnosed<AppsConfig> ReadAppsConfig(const std::string& path);

}  // namespace muster::config
