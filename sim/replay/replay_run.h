// One replay as a user asks for it: settings, the trace or model, the run and its figures. The
// command line and scenario files fill in the same settings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/app/replay_apps.h"
#include "sim/replay/account_shares.h"
#include "sim/replay/federation_workload.h"
#include "sim/replay/lent_figures.h"
#include "sim/replay/lublin.h"
#include "sim/replay/node_set_rules.h"
#include "sim/replay/replay_figures.h"
#include "sim/replay/speed_figures.h"

namespace muster::sim {

enum class CancelledRule : uint8_t { kDrop, kEnter };

struct RunSettings {
  std::string name;
  std::string trace;               // path of an SWF file, plain or gzipped; "": `model` is used
  std::optional<Lublin> model;     // used if there is no trace
  std::vector<std::string> sites;  // as in "lakes=flat:430"
  uint64_t seed = 1;
  CancelledRule cancelled = CancelledRule::kDrop;
  bool strict = false;
  bool exact = false;
  std::optional<Span> threshold;   // extraction threshold; none: infinite
  size_t block_max = 1000;         // most entries of a block
  std::string packing = "fcfs*";   // packing of blocks; "auto": by vote
  std::string home = "partition";  // "partition", a site's name, or "none"
  bool alone = false;
  bool home_first = true;  // meta::Options::home_first
  // "chem=40%": accounts, by target; each job has one by chance, in proportion. Empty: none.
  std::vector<std::string> accounts;
  bool shares = true;             // those who wait are ordered by these targets
  std::vector<std::string> keep;  // "kth=20%": so much of the jobs of this home, evenly; else all
  bool classes = false;           // interactive jobs are submitted as such
  std::optional<size_t> jobs;
  Span from;
  std::optional<Span> until;
  uint32_t co_allocated = 0;  // per 1,000
  int64_t scaled_from = 0;    // processors of the trace's machine; 0: no scaling
  std::optional<double> load;
  bool backlog = false;      // all jobs are submitted at once, when the first one is
  uint32_t balanced = 1000;  // per 1,000: NodeSetRules::balanced
  std::string set;           // NodeSetRules::set
  std::string placing =
      "fastest";                // of jobs that ask for no set: "fastest", "random", "partitions"
  std::string against;          // name of the run over which its throughput is told as a gain
  uint32_t recallable = 0;      // LentRules::recallable
  std::string recall = "no";    // LentRules::recall, FillerRules::way
  bool lent_alone = false;      // LentRules::alone
  bool beyond_balance = false;  // sites lend beyond their balance (site::Options::lends_beyond)
  std::string apps;             // file of the programs that jobs are; "": none is known
  Span fillers;                 // FillerRules::runs
  int kept = 0;                 // percent of the processors, for interactive jobs
  bool kept_lent = false;       // these are lent meanwhile
  bool autonomous = false;      // uses the autonomous scheduler, the baseline of verification
  bool estimates = false;       // FederationReplayOptions::estimates
  size_t forecasts = 0;         // FederationReplayOptions::forecasts
  // starts and turnovers take no time: for comparison with simulators that have no such times
  bool ideal = false;
  // messages take time and sites send heartbeats and may fall silent: for traces of days
  bool real_link = false;
};

struct ReplayRun {
  RunSettings settings;
  std::vector<ReplaySite> sites;
  FederationWorkload workload;
  FederationResult result;
  ReplayFigures figures;
  std::vector<AccountFigures> accounts;                  // by settings.accounts
  std::optional<LentFigures> lent;                       // if some users may be recalled
  std::shared_ptr<const config::AppsConfig> apps_known;  // null: none
  std::vector<AppFigures> apps;                          // of each of these
  std::optional<FillerFigures> fillers;                  // if what is idle is filled
  std::optional<SpeedFigures> speeds;  // if nodes have other speeds than the reference
};

using Progress = std::function<void(size_t done, size_t all)>;

// Makes the sites and jobs of a replay. Errors: a trace that cannot be read; an invalid line or
// setting.
absl::StatusOr<ReplayRun> PrepareReplay(RunSettings settings);
// Runs the replay and computes its figures. Errors: a setting that is invalid or does not fit the
// jobs.
absl::Status Play(ReplayRun& run, const Progress& progress);

// PrepareReplay, then Play.
absl::StatusOr<ReplayRun> RunReplay(RunSettings settings, const Progress& progress);

}  // namespace muster::sim
