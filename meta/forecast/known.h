// What forecasts are made from and judged by: what outcomes have taught, and what was told of the
// requests that are open. Kept while the daemon lives.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/calibration.h"
#include "meta/forecast/model/run_times.h"
#include "schemas/views.h"

namespace muster::meta {

// A bound that sites gave, and what the shadows said then.
struct Verified {
  Instant bound;
  Instant shadow;
};

// What was noted of the bounds of one request (meta/forecast/bounds.h).
struct BoundHistory {
  std::vector<schemas::FigureChange> changes;  // oldest first
  std::map<std::string, PlanRevision> plans;   // of its sites when the last was noted
  std::string packing;                         // in force then
  std::string settings;                        // of the scheduler then
  bool promised = false;                       // it has been followed by a promise
  std::optional<schemas::Cause> risen;         // why that was later than the last bound
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

struct Known {
  forecast::RunTimes run_times;
  forecast::Arrivals arrivals;
  forecast::Calibration calibration;
  std::map<RequestId, Told> told;
  // When intervals that nobody judged yet will be missed.
  std::set<std::pair<Instant, RequestId>> ends;
};

}  // namespace muster::meta
