// What the meta expects, and who waits to hear it: kept while the daemon lives, derived from what
// happened, never part of a promise.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/forecast/forecast_run.h"
#include "meta/forecast/known.h"
#include "meta/forecast/quotes.h"
#include "meta/turn/events.h"

namespace muster::meta {

// An answer that waits until the figures in it are known: until the run of that number, which began
// after it was asked for, has come so far.
struct HeldAnswer {
  ClientAnswer answer;
  uint64_t run = 0;
  BootInstant until;           // it goes then in any case
  std::optional<Quote> quote;  // it offers starts, whose figures are to be made
};

// The last verified run, or how far it came.
struct VerifiedAt {
  BootInstant at;
  uint64_t block = 0;                         // the last one when it began
  std::map<std::string, PlanRevision> plans;  // that answered
};

struct Forecasts {
  Known known;
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
