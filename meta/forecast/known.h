// The learned distributions that forecasts are made from, and the figures that users were shown
// for each open request. In memory only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/forecast/course.h"
#include "meta/forecast/model/arrivals.h"
#include "meta/forecast/model/calibration.h"
#include "meta/forecast/model/run_model.h"
#include "meta/forecast/outside_runs.h"
#include "schemas/views.h"

namespace muster::meta {

// A bound that the sites confirmed, and the shadows' figure at that time.
struct Verified {
  Instant bound;
  Instant shadow;
};

// Noted bounds of one request (meta/forecast/bounds.h).
struct BoundHistory {
  std::vector<schemas::FigureChange> changes;  // oldest first
  std::map<std::string, PlanRevision> plans;   // plan revisions of its sites at the last note
  std::string packing;                         // algorithm in force at the last note
  std::string settings;                        // scheduler settings at the last note
  // Places among those queued for each of its sites at the last note, from 1; kept only where
  // points order them.
  std::map<std::string, size_t> places;
  bool promised = false;                // a promise has followed the last bound
  std::optional<schemas::Cause> risen;  // why that promise is later than the last bound, if it is
};

// The figures shown for one open request.
struct Told {
  Instant at;                               // time of its first forecast
  std::optional<forecast::Forecast> first;  // first forecast; scored when the request starts
  bool judged = false;                      // the first interval was counted as held or missed
  bool arrived = false;                     // the request was counted as an arrival
  std::optional<Instant> started;           // by its site's clock
  std::optional<Instant> bound;             // set only without a promise
  std::vector<std::string> sites;           // sites at which it was last laid out
  std::optional<Verified> verified;         // from the last verified run that reached it
  std::optional<schemas::Expected> expected;
  Course course;  // of `expected`
  BoundHistory bounds;
};

struct Known {
  forecast::RunModel run_model;
  OutsideRuns outside;
  forecast::Arrivals arrivals;
  forecast::Calibration calibration;
  std::map<RequestId, Told> told;
  // Upper ends of first intervals: when a request that still waits has missed its interval. An
  // entry stays until its time, also if the request was judged or is gone.
  std::set<std::pair<Instant, RequestId>> ends;
};

}  // namespace muster::meta
