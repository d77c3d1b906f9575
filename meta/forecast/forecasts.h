// The state of the forecasts, and the client answers that wait for one. It is derived from past
// events, kept in memory only, and never part of a promise.
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

// An answer that is held back until run number `run` has the figures for it. That run knows of all
// changes before the question.
struct HeldAnswer {
  ClientAnswer answer;
  uint64_t run = 0;
  BootInstant until;           // the answer is sent at this time at the latest
  std::optional<Quote> quote;  // set if the answer offers starts that need an expected start
};

// The last verified run, as far as it got.
struct VerifiedAt {
  BootInstant at;
  uint64_t block = 0;                         // number of the last block extracted before it began
  std::map<std::string, PlanRevision> plans;  // plan revisions that the sites' answers rest on
};

struct Forecasts {
  Known known;
  std::optional<ForecastRun> run;                // in progress
  std::optional<ForecastRun> last;               // the last complete one
  uint64_t runs = 0;                             // number of runs begun
  ForecastStage told_of = ForecastStage::kDone;  // stages of `run` before this one are published
  bool due = true;                               // something changed since the last run began
  std::vector<HeldAnswer> held;
  std::vector<Quoted> quoted;  // figures of offers, kept for kQuotesKept
  BootInstant last_run;        // when the last run began
  BootInstant next_slice;      // earliest time of the next slice of `run`
  size_t last_work = 0;        // jobs that the run begun last has looked at
  std::optional<VerifiedAt> verified;
};

}  // namespace muster::meta
