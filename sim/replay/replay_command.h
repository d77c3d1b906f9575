// `muster sim replay`, `run` and `page`: what is typed, the progress on the terminal, the files.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/config/scenario_config.h"

namespace muster::sim {

// What is written, and where: "-" is stdout, and what has no path is not written.
struct ReplayFiles {
  std::string json, csv, swf, html, plots;

  bool None() const;
  bool ToStdout() const;  // one of them
};

// The subcommands of one command line. REQUIRES: it outlives the parsing.
class TraceCommands {
 public:
  explicit TraceCommands(CLI::App& app);

  // True if one of them was typed.
  bool parsed() const { return replay_->parsed() || scenario_->parsed() || page_->parsed(); }
  // Runs it; the exit code.
  int Run();

 private:
  int RunTrace();
  int RunScenario();
  int RunComparison(const config::ScenarioConfig& scenario);
  int RunPage();

  // As typed; empty: not given.
  struct Typed {
    std::string trace;
    std::vector<std::string> sites;
    uint64_t seed = 1;
    std::string cancelled = "drop";
    bool strict = false;
    bool exact = false;
    bool alone = false;
    bool classes = false;
    bool autonomous = false;
    bool estimates = false;
    bool ideal = false;
    std::string link = "ideal";
    std::string threshold = "inf";
    std::string packing = "fcfs*";
    std::string home = "partition";
    uint64_t jobs = 0;
    std::string from;
    std::string to;
    std::string co_allocated = "0%";
    uint64_t scaled_from = 0;
    double load = 0;
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
