// How good forecasts of starts are, on a trace: the jobs of a log through one machine of like
// processors, planned as sites plan (nothing booked gets later, what ends early lets others move
// up), each waiting job forecast at its submission with what was known by then, and judged when it
// starts. scheduling.md sections 6 and 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/replay/swf.h"

namespace muster::sim {

struct TraceForecastOptions {
  std::string trace;
  int64_t processors = 0;
  size_t every = 1;  // of the jobs that wait each n-th is forecast; all are scheduled
  size_t samples = 32;
  double confidence = 0.9;
  uint64_t seed = 1;
  bool strict = false;  // refuse a trace that is not sorted by submission
};

// Errors of a predictor over the jobs that really waited more than ten minutes.
struct PredictorErrors {
  double median_minutes = 0;
  double mean_minutes = 0;
  double within_1_ratio = 0;        // minute
  double within_10_ratio = 0;       // minutes
  double within_quarter_ratio = 0;  // of the wait
};

struct TraceForecastReport {
  SwfCounts skipped;
  size_t too_large = 0;  // wider than the machine
  size_t jobs = 0;
  double mean_wait_minutes = 0;
  double p95_wait_minutes = 0;
  size_t forecasts = 0;
  size_t judged = 0;            // of these waited more than ten minutes
  PredictorErrors requested;    // P2: the plan with the times asked for
  PredictorErrors expected;     // ours
  PredictorErrors clairvoyant;  // PX: run times known, later arrivals not
  size_t broken = 0;            // starts later than the plan at submission: must be none
  size_t intervals = 0;         // wider than 60 s, without the first and last 5 % of forecasts
  size_t covered = 0;
  double width_over_wait = 0;  // median of (high - low) / max(60 s, wait)
  size_t early = 0;            // started before the interval
};

// Errors: the trace cannot be read, or no machine is given.
absl::StatusOr<TraceForecastReport> ForecastTrace(const TraceForecastOptions& options);

// Starts of the jobs of a trace in its order, as planned and run: (job number, start).
// `exact`: run times are known when they are asked for.
std::vector<std::pair<int64_t, int64_t>> ConservativeStarts(const std::vector<SwfJob>& jobs,
                                                            int64_t processors, bool exact);

std::string ToText(const TraceForecastOptions& options, const TraceForecastReport& report);
std::string ToJson(const TraceForecastOptions& options, const TraceForecastReport& report);

}  // namespace muster::sim
