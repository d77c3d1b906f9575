// What the meta expects, and what it has learned of how things come out: kept while the daemon
// lives, derived from what happened, never part of a promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/forecast/backfilling.h"
#include "meta/forecast/calibration.h"
#include "meta/forecast/futures.h"
#include "meta/forecast/run_times.h"
#include "schemas/views.h"

namespace muster::meta {

// What was told of one open request.
struct Told {
  Instant at;                               // of its first forecast
  std::optional<forecast::Forecast> first;  // that one is scored when it starts
  bool judged = false;                      // its interval was counted as held or missed
  std::optional<Instant> started;           // when the meta heard so
  std::optional<Instant> bound;             // of one without a promise
  std::optional<schemas::Expected> expected;
};

// A job of a site's plan, and whose start it tells.
struct Follows {
  RequestId request;
  Span lead;  // the request starts so long after the job's booking: turnover, offset of the part
};

// One site's plan as sampled futures start from it.
struct SitePlan {
  std::string site;
  forecast::Backfilling plan;
  std::vector<forecast::Runner> runners;  // by job
  std::vector<Follows> follows;           // by job
};

// A run under way: all futures of all sites, in slices.
struct ForecastRun {
  Instant began;
  std::vector<SitePlan> sites;
  size_t site = 0;                                // next
  uint32_t sample = 0;                            // next, of that site
  std::map<RequestId, std::vector<Span>> starts;  // after `began`, by sample
  std::map<RequestId, Instant> planned;           // with the times asked for
};

struct Forecasts {
  forecast::RunTimes run_times;
  forecast::Calibration calibration;
  std::map<RequestId, Told> told;
  std::optional<ForecastRun> run;
  bool due = true;  // something changed since the last run began
  BootInstant last_run;
  size_t last_work = 0;  // of that run
};

}  // namespace muster::meta
