// Changes of local users' holds, for the room that keeps their jobs.
#pragma once

#include "base/ids.h"
#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::site {

// A change of a hold, and the state of the hold at that moment.
struct HoldNews {
  Fence fence;
  decltype(schemas::Change::what) what;
  Instant start;
  Span extended;         // the longest extension among its parts
  bool started = false;  // a part is STARTING or beyond
  bool all_run = false;  // every part has begun
  PlanRevision plan;
};

}  // namespace muster::site
