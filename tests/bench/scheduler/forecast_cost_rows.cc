// What a forecast of one waiting job costs, by 32 futures in which the past comes again, on the
// logs of KTH and CERIT (where hundreds wait); MUSTER_TRACES names their folder. The reference is a
// forecast by 20 futures with recent run times of the users, in which nobody comes. submission_kth
// is what a job costs from its submission to its end, apart from forecasts: its run time is
// predicted, its outcome is learned.
#include <cstdlib>
#include <string>
#include <vector>

#include "base/check.h"
#include "sim/forecast/trace_forecast.h"
#include "tests/bench/scheduler/bench.h"

namespace muster::bench {
namespace {

constexpr size_t kNone = size_t{1} << 40;  // forecasts one in so many: none but the first

struct Log {
  const char* file;
  int64_t processors;
  size_t every;
};
constexpr Log kKth{"/KTH-SP2-1996-2.1-cln.swf.gz", 100, 8};
constexpr Log kCerit{"/CERIT-wagap-2013.swf.gz", 2176, 24};

struct Taken {
  double seconds = 0;
  sim::TraceForecastReport report;
};

Taken Take(const std::string& traces, const Log& log, size_t every, bool simple) {
  sim::TraceForecastOptions options;
  options.trace = traces + log.file;
  options.processors = log.processors;
  options.every = every;
  options.simple = simple;
  Taken out;
  out.seconds = BestSeconds(
      1, [] {},
      [&] {
        auto report = sim::ForecastTrace(options);
        MUSTER_CHECK(report.ok());
        out.report = *std::move(report);
      });
  return out;
}

// Milliseconds of one forecast; `simple`: of one by recent run times instead.
double ForecastMilliseconds(const std::string& traces, const Log& log, bool simple) {
  const Taken with = Take(traces, log, log.every, simple);
  const Taken without = Take(traces, log, simple ? log.every : kNone, false);
  const auto forecasts = static_cast<double>(with.report.forecasts);
  return 1e3 * (with.seconds - without.seconds) / forecasts;
}

double SubmissionMicroseconds(const std::string& traces) {
  const Taken taken = Take(traces, kKth, kNone, false);
  return 1e6 * taken.seconds / static_cast<double>(taken.report.jobs);
}

}  // namespace

std::vector<Row> ForecastCostRows() {
  const char* folder = std::getenv("MUSTER_TRACES");
  if (!folder) return {};
  const std::string traces = folder;
  const auto row = [&traces](const char* name, const Log& log, Bounds bounds) {
    return Row{name, "ms", bounds, [=] { return ForecastMilliseconds(traces, log, false); },
               [=] { return ForecastMilliseconds(traces, log, true); }};
  };
  return {row("forecast_kth", kKth, {2, 1}), row("forecast_cerit", kCerit, {40, 20}),
          Row{"submission_kth",
              "us",
              Bounds{100, 50},
              [=] { return SubmissionMicroseconds(traces); },
              {}}};
}

}  // namespace muster::bench
