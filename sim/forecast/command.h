// `muster sim forecast TRACE --procs N`: judges forecasts of starts on a trace.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/forecast/trace_forecast.h"

namespace muster::sim {

// The parsed command line.
struct ForecastCommand {
  TraceForecastOptions options;
  bool json = false;
  CLI::App* app = nullptr;
};

// Adds the subcommand. REQUIRES: `command` outlives the parsing.
void AddForecast(CLI::App& app, ForecastCommand& command);
// Runs the subcommand. Returns the exit code: 0; 1 if a start was later than planned at submission;
// 2 on an error.
int RunForecast(const ForecastCommand& command);

}  // namespace muster::sim
