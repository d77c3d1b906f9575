// A scenario of `muster sim run`: several replays that differ in a few settings. A setting of
// [defaults] applies to each [[run]] that does not override it.
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
  // "all", "batch", "interactive": job classes of the Lublin-Feitelson model.
  std::string kind = "all";
  int64_t jobs = 10000;
  int64_t processors = 256;  // per machine
  int64_t homes = 1;         // number of machines, each with its own arrivals
};

struct ScenarioRun {
  uint32_t line = 0;  // line of its heading
  std::string name;
  std::string trace;  // file name as written
  std::optional<ScenarioModel> model;
  std::vector<std::string> sites;  // "lakes=flat:430"
  int64_t seed = 1;
  std::string cancelled = "drop";  // "drop" or "enter"
  bool strict = false;
  bool exact = false;
  std::optional<Span> threshold;  // extraction threshold; none: infinite
  int64_t block_max = 1000;       // most entries of a block
  std::string packing = "fcfs*";
  std::string home = "partition";
  bool alone = false;
  bool home_first = true;             // [scheduler] home_first of the meta
  std::vector<std::string> accounts;  // "chem=40%": an account and its share
  bool shares = true;                 // those who wait are ordered by them
  std::vector<std::string> keep;      // "kth=20%": so much of the jobs of this home; else all
  bool classes = false;
  std::optional<int64_t> jobs;
  Span from;
  std::optional<Span> until;
  double co_allocated = 0;  // share of jobs
  int64_t scaled_from = 0;  // processors of the trace's machine, from which jobs are scaled
  std::optional<double> load;
  bool backlog = false;             // all jobs are submitted at once
  double recallable = 0;            // share of users whose jobs may be recalled from lent room
  std::string recall = "no";        // "requeue", "checkpoint"
  bool lent_alone = false;          // they get lent room alone, and no promise
  bool beyond_balance = false;      // sites beyond their balance lend, and promise others nothing
  std::string apps;                 // file of the programs that jobs are; "": none is known
  Span fillers;                     // so long last jobs that fill what is idle; 0: none do
  int64_t kept = 0;                 // percent of the processors, for interactive jobs
  bool kept_lent = false;           // these are lent meanwhile
  double balanced = 1;              // share of jobs whose processes wait for each other
  std::string set;                  // node set that these ask for; "": none
  std::string against;              // the run over which its throughput is told as a gain
  std::string placing = "fastest";  // of jobs without a set: "fastest", "random", "partitions"
  bool autonomous = false;          // scheduler = "autonomous"; false: "verified"
  bool estimates = false;           // estimates for jobs without a promise at submission
  int64_t forecasts = 0;            // each n-th job that waits is told what is expected; 0: none
  bool ideal = false;               // no operation takes time
  bool real_link = false;           // link = "real"; false: "ideal"
};

// A packing algorithm with its extraction threshold, as in "ffih*:1h".
struct ScenarioPacking {
  std::string packing;
  std::optional<Span> threshold;  // none: infinite
};

// A comparison: each run is replayed by both schedulers, on each of these sites, with each packing
// and with each kind of times.
struct ScenarioComparison {
  std::vector<std::string> sites;
  std::vector<ScenarioPacking> packings;
  std::vector<bool> exact;  // times = ["exact", "requested"]
};

struct ScenarioConfig {
  std::string title;
  std::vector<ScenarioRun> runs;  // at least one; names are unique
  std::optional<ScenarioComparison> compare;
};

// Errors: the first error of the file.
Diagnosed<ScenarioConfig> ReadScenarioConfig(const std::string& path);
Diagnosed<ScenarioConfig> ParseScenarioConfig(const std::string& path, std::string_view text);

}  // namespace muster::config
