// `muster sim replay`, `run` and `page`: options, progress on the terminal, output files.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/config/scenario_config.h"

namespace muster::sim {

// Paths of the outputs: "-" is stdout; an output with an empty path is not written.
struct ReplayFiles {
  std::string json, csv, swf, html, plots;

  bool None() const;
  bool ToStdout() const;  // True if one of them goes to stdout.
};

// The subcommands of one command line. REQUIRES: this outlives the parsing.
class TraceCommands {
 public:
  explicit TraceCommands(CLI::App& app);

  // True if one of them was typed.
  bool parsed() const { return replay_->parsed() || scenario_->parsed() || page_->parsed(); }
  // Runs the given subcommand. Returns the exit code.
  int Run();

 private:
  int RunTrace();
  int RunScenario();
  int RunComparison(const config::ScenarioConfig& scenario);
  int RunPage();

  // Option values as typed, or their defaults.
  struct Typed {
    std::string trace;
    std::vector<std::string> sites;
    uint64_t seed = 1;
    std::string cancelled = "drop";
    bool strict = false;
    bool exact = false;
    bool alone = false;
    bool no_home_first = false;
    std::vector<std::string> accounts;
    bool no_shares = false;
    std::string recallable = "0%";
    std::string recall = "no";
    bool lent_alone = false;
    bool beyond_balance = false;
    std::string app;
    std::string fillers;
    int kept = 0;
    bool kept_lent = false;
    std::vector<std::string> keep;
    bool classes = false;
    bool autonomous = false;
    bool estimates = false;
    size_t forecasts = 0;
    bool ideal = false;
    std::string link = "ideal";
    std::string threshold = "inf";
    size_t block_max = 1000;
    std::string packing = "fcfs*";
    std::string home = "partition";
    uint64_t jobs = 0;
    std::string from;
    std::string to;
    std::string co_allocated = "0%";
    uint64_t scaled_from = 0;
    double load = 0;
    bool backlog = false;
    std::string balanced = "100%";
    std::string set;
    std::string placing = "fastest";
    std::string scenario;
    std::string data;
    ReplayFiles files;
    bool quiet = false;
  };

  Typed typed_;
  CLI::App* replay_;
  CLI::App* scenario_;
  CLI::App* page_;
};

}  // namespace muster::sim
