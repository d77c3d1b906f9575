// What the meta expects, and what it has learned of how things come out: kept while the daemon
// lives, derived from what happened, never part of a promise.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/forecast/bounds.h"
#include "meta/forecast/forecast_run.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/calibration.h"
#include "meta/forecast/model/run_times.h"
#include "meta/forecast/quotes.h"
#include "meta/turn/events.h"
#include "schemas/views.h"

namespace muster::meta {

// A bound that sites gave, and what the shadows said then.
struct Verified {
  Instant bound;
  Instant shadow;
};

// An answer that waits until the figures in it are known: until the run of that number, which began
// after it was asked for, has come so far.
struct HeldAnswer {
  ClientAnswer answer;
  uint64_t run = 0;
  BootInstant until;           // it goes then in any case
  std::optional<Quote> quote;  // it offers starts, whose figures are to be made
};

// What was told of one open request.
struct Told {
  Instant at;                               // of its first forecast
  std::optional<forecast::Forecast> first;  // that one is scored when it starts
  bool judged = false;                      // its interval was counted as held or missed
  bool arrived = false;                     // it was counted as one that came
  std::optional<Instant> started;           // by its site's clock
  std::optional<Instant> bound;             // of one without a promise
  std::vector<std::string> sites;           // that it is planned for, of one without a promise
  std::optional<Verified> verified;         // by the last verified run that came to it
  std::optional<schemas::Expected> expected;
  BoundHistory bounds;
};

// The last verified run, or how far it came.
struct VerifiedAt {
  BootInstant at;
  uint64_t block = 0;                         // the last one when it began
  std::map<std::string, PlanRevision> plans;  // that answered
};

struct Forecasts {
  forecast::RunTimes run_times;
  forecast::Arrivals arrivals;
  forecast::Calibration calibration;
  std::map<RequestId, Told> told;
  // When intervals that nobody judged yet will be missed.
  std::set<std::pair<Instant, RequestId>> ends;
  std::optional<ForecastRun> run;                // under way
  std::optional<ForecastRun> last;               // the one before it
  uint64_t runs = 0;                             // that began
  ForecastStage told_of = ForecastStage::kDone;  // stages of the run before this one are told of
  bool due = true;                               // something changed since the last run began
  std::vector<HeldAnswer> held;
  std::vector<Quoted> quoted;  // of the last kQuotesKept
  BootInstant last_run;
  BootInstant next_slice;  // of the run under way, not before
  size_t last_work = 0;    // of the last run
  std::optional<VerifiedAt> verified;
};

}  // namespace muster::meta
