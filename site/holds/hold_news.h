// What happened to a hold of the site's own users, told to whoever keeps their jobs.
#pragma once

#include "base/ids.h"
#include "base/time.h"
#include "schemas/site_link.h"

namespace muster::site {

// A change of a hold, and how the hold was when it happened.
struct HoldNews {
  Fence fence;
  decltype(schemas::Change::what) what;
  Instant start;
  Span extended;         // of its parts the longest extension
  bool started = false;  // a part is STARTING or beyond
  bool all_run = false;  // every part has begun
  PlanRevision plan;
};

}  // namespace muster::site
