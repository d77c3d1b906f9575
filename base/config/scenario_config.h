// A scenario of `muster sim run`: several replays that differ in a few settings. What [defaults]
// says holds for every [[run]] that does not say it anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/time.h"

namespace muster::config {

struct ScenarioModel {
  std::string kind = "all";  // "all", "batch", "interactive": the Lublin-Feitelson model
  int64_t jobs = 10000;
  int64_t processors = 256;  // of one machine
  int64_t homes = 1;         // so many machines with arrivals of their own
};

struct ScenarioRun {
  uint32_t line = 0;  // of its heading
  std::string name;
  std::string trace;  // as written
  std::optional<ScenarioModel> model;
  std::vector<std::string> sites;  // "lakes=flat:430"
  int64_t seed = 1;
  std::string cancelled = "drop";  // or "enter"
  bool strict = false;
  bool exact = false;
  std::optional<Span> threshold;  // none: infinite
  std::string packing = "fcfs*";
  std::string home = "partition";
  bool alone = false;
  bool classes = false;
  std::optional<int64_t> jobs;
  Span from;
  std::optional<Span> until;
  double co_allocated = 0;  // share
  int64_t scaled_from = 0;  // processors of the machine of the trace
  std::optional<double> load;
  bool autonomous = false;  // scheduler = "autonomous", else "verified"
  bool estimates = false;   // of who gets no promise at submission
  bool ideal = false;       // nothing takes time
  bool real_link = false;   // link = "real", else "ideal"
};

// A packing with its threshold, as in "ffih*:1h".
struct ScenarioPacking {
  std::string packing;
  std::optional<Span> threshold;  // none: infinite
};

// Every run is played by both schedulers on each of these sites, by each packing, and compared.
struct ScenarioComparison {
  std::vector<std::string> sites;
  std::vector<ScenarioPacking> packings;
  std::vector<bool> exact;  // times = ["exact", "requested"]
};

struct ScenarioConfig {
  std::string title;
  std::vector<ScenarioRun> runs;  // one at least, named apart
  std::optional<ScenarioComparison> compare;
};

// The first error of the file, if it has one.
Diagnosed<ScenarioConfig> ReadScenarioConfig(const std::string& path);
Diagnosed<ScenarioConfig> ParseScenarioConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
