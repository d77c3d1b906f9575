// Measures the quality of start forecasts on a trace. The jobs run on one machine of equal
// processors and are planned as sites plan: no booking gets later, and early ends let others move
// up. Every n-th job that waits is forecast at its submission from what is known then, and judged
// when it starts. scheduling.md sections 6 and 10.
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
  size_t every = 1;  // every n-th waiting job is forecast; all jobs are scheduled
  size_t samples = 32;
  double confidence = 0.9;
  uint64_t seed = 1;
  bool strict = false;  // refuse a trace that is not sorted by submission
};

// Errors of a predictor over the jobs that waited more than ten minutes.
struct PredictorErrors {
  double median_minutes = 0;
  double mean_minutes = 0;
  double within_1_ratio = 0;        // share of errors of at most 1 minute
  double within_10_ratio = 0;       // share of errors of at most 10 minutes
  double within_quarter_ratio = 0;  // share of errors of at most a quarter of the wait
};

struct TraceForecastReport {
  SwfCounts skipped;
  size_t too_large = 0;  // wider than the machine
  size_t jobs = 0;
  double mean_wait_minutes = 0;
  double p95_wait_minutes = 0;
  size_t forecasts = 0;
  size_t judged = 0;            // of `forecasts`: jobs that waited more than ten minutes
  PredictorErrors requested;    // P2: the planned start with requested times
  PredictorErrors expected;     // muster's forecast
  PredictorErrors clairvoyant;  // PX: all run times known, later arrivals unknown
  size_t broken = 0;            // starts later than planned at submission; must be 0
  size_t intervals = 0;  // intervals wider than 60 s, without the first and last 5 % of forecasts
  size_t covered = 0;
  double width_over_wait = 0;  // median of (high - low) / max(60 s, wait)
  size_t early = 0;            // jobs that started before their interval
};

// Errors: the trace cannot be read; `processors` is not positive.
absl::StatusOr<TraceForecastReport> ForecastTrace(const TraceForecastOptions& options);

// The starts that the jobs get under conservative backfilling, in trace order: (job number, start
// in seconds). `exact`: plans with real run times instead of requested ones.
std::vector<std::pair<int64_t, int64_t>> ConservativeStarts(const std::vector<SwfJob>& jobs,
                                                            int64_t processors, bool exact);

std::string ToText(const TraceForecastOptions& options, const TraceForecastReport& report);
std::string ToJson(const TraceForecastOptions& options, const TraceForecastReport& report);

}  // namespace muster::sim
