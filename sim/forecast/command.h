// `muster sim forecast TRACE --procs N`: the forecasts of starts on a trace, judged.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/forecast/trace_forecast.h"

namespace muster::sim {

// What its command line says.
struct ForecastCommand {
  TraceForecastOptions options;
  bool json = false;
  CLI::App* app = nullptr;
};

// Adds the subcommand. REQUIRES: `command` outlives the parsing.
void AddForecast(CLI::App& app, ForecastCommand& command);
// Runs it; the exit code.
int RunForecast(const ForecastCommand& command);

}  // namespace muster::sim
