// The option ranges are checked here, so that a wrong number is refused before a trace is read.
#include "sim/forecast/command.h"

#include <cstdio>
#include <string>

#include "sim/replay/swf.h"

namespace muster::sim {

void AddForecast(CLI::App& app, ForecastCommand& command) {
  command.app = app.add_subcommand("forecast", "how good forecasts of starts are, on a trace");
  TraceForecastOptions& options = command.options;
  command.app->add_option("trace", options.trace, "SWF file, plain or gzipped")->required();
  command.app->add_option("--procs", options.processors, "of the machine")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command.app->add_option("--every", options.every, "forecast each n-th job that waits")
      ->check(CLI::Range(size_t{1}, size_t{1} << 30));
  command.app->add_option("--samples", options.samples, "futures behind a forecast")
      ->check(CLI::Range(size_t{1}, size_t{1000}));
  command.app->add_option("--confidence", options.confidence, "of the intervals")
      ->check(CLI::Range(0.5, 0.99));
  command.app->add_option("--seed", options.seed, "of the draws");
  command.app->add_option("--restart-at", options.restart_at,
                          "learn run times again from the record at this job's submission");
  command.app->add_flag("--simple", options.simple,
                        "also by the user's last two and recent run times");
  command.app->add_flag("--strict", options.strict, "refuse a trace that is not sorted");
  command.app->add_flag("--json", command.json, "one JSON document");
}

int RunForecast(const ForecastCommand& command) {
  TraceForecastOptions found = command.options;
  found.trace = FindTrace(found.trace);
  const absl::StatusOr<TraceForecastReport> report = ForecastTrace(found);
  if (!report.ok()) {
    std::fprintf(stderr, "muster: error[usage]: %s\n", std::string(Text(report.status())).c_str());
    return 2;
  }
  const std::string text =
      command.json ? ToJson(command.options, *report) : ToText(command.options, *report);
  std::fputs(text.c_str(), stdout);
  return report->broken == 0 ? 0 : 1;
}

}  // namespace muster::sim
