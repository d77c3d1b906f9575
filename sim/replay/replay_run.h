// One replay as people ask for it: settings as text, the trace or model behind them, the run and
// its figures. The command line and scenario files fill in the same settings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/replay/federation_workload.h"
#include "sim/replay/lublin.h"
#include "sim/replay/replay_figures.h"

namespace muster::sim {

enum class CancelledRule : uint8_t { kDrop, kEnter };

struct RunSettings {
  std::string name;
  std::string trace;               // path of an SWF file, plain or gzipped; "": of the model
  std::optional<Lublin> model;     // if there is no trace
  std::vector<std::string> sites;  // "lakes=flat:430"
  uint64_t seed = 1;
  CancelledRule cancelled = CancelledRule::kDrop;
  bool strict = false;
  bool exact = false;
  std::optional<Span> threshold;   // none: infinite
  std::string packing = "fcfs*";   // of blocks; "auto": by vote
  std::string home = "partition";  // or a site's name, or "none"
  bool alone = false;
  bool classes = false;  // interactive jobs are submitted as interactive ones
  std::optional<size_t> jobs;
  Span from;
  std::optional<Span> until;
  uint32_t co_allocated = 0;  // of 1,000
  int64_t scaled_from = 0;    // processors of the machine of the trace; 0: as they are
  std::optional<double> load;
  bool autonomous = false;  // by the scheduler that verification is measured against
  bool estimates = false;   // FederationReplayOptions::estimates
  bool ideal = false;       // nothing takes time: for comparing with simulators without times
  bool real_link = false;   // messages take time, sites beat and may be silent: for days
};

struct ReplayRun {
  RunSettings settings;
  std::vector<ReplaySite> sites;
  FederationWorkload workload;
  FederationResult result;
  ReplayFigures figures;
};

using Progress = std::function<void(size_t done, size_t all)>;

// Its sites and jobs.
// Errors: a trace that cannot be read, a line or setting that means nothing.
absl::StatusOr<ReplayRun> PrepareReplay(RunSettings settings);
// The run itself and its figures. Errors: a setting that means nothing, or does not fit the jobs.
absl::Status Play(ReplayRun& run, const Progress& progress);

// Both.
absl::StatusOr<ReplayRun> RunReplay(RunSettings settings, const Progress& progress);

}  // namespace muster::sim
