// Measures the quality of start forecasts on a trace. The jobs run on one machine of equal
// processors and are planned as sites plan: no booking gets later, and early ends let others move
// up. Every n-th job that waits is forecast at its submission from what is known then, and judged
// when it starts. scheduling.md sections 6 and 10.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "meta/forecast/model/coverage.h"
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
  // At the submission of this job, counted from 0, all that was learned of run times is forgotten
  // and learned again from the record, as a meta that starts again does. None: never.
  std::optional<size_t> restart_at;
  bool simple = false;  // also forecast by the two simple predictors
};

// Errors of a predictor over the jobs that waited more than ten minutes.
struct PredictorErrors {
  double median_minutes = 0;
  double mean_minutes = 0;
  double within_1_ratio = 0;        // share of errors of at most 1 minute
  double within_10_ratio = 0;       // share of errors of at most 10 minutes
  double within_quarter_ratio = 0;  // share of errors of at most a quarter of the wait
};

// Errors of the expected starts that were said to lie in one class of waits.
struct SaidErrors {
  Span from;  // the expected wait lies in [from, to)
  Span to;
  size_t forecasts = 0;
  double median_minutes = 0;
  double mean_minutes = 0;
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
  std::optional<PredictorErrors> last_two;  // P3: the mean of the user's last two runs
  std::optional<PredictorErrors> recent;    // P7: runs drawn from the user's recent ones
  size_t broken = 0;                        // starts later than planned at submission; must be 0
  size_t intervals = 0;  // intervals wider than 60 s, without the first and last 5 % of forecasts
  forecast::Coverage coverage;     // of these
  double width_over_wait = 0;      // median of (high - low) / max(60 s, wait)
  size_t early = 0;                // jobs that started before their interval
  std::array<SaidErrors, 3> said;  // 10 to 60 minutes, 1 to 6 hours, 6 to 24 hours
  // Bits that one outcome takes, over all jobs: as its distribution was at submission, and as it
  // was just before its end.
  double bits_at_submission = 0;
  double bits_at_end = 0;
  double work_ratio = 0;  // processor-seconds expected at submission over those done
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
