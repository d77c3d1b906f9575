// What was free at a site over the past days but for the meta's own bookings: as the site said it,
// each time it spoke. Local jobs, drained and broken nodes are in it. scheduling.md section 16.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "meta/forecast/model/backfilling.h"

namespace muster::forecast {

// Invariant: steps ascend; all have as many amounts as the newest.
class TerrainLog {
 public:
  static constexpr size_t kMostSteps = 4096;  // the oldest go first

  // From `now` on this holds: it replaces what was said about times from then on. `steps` ascend;
  // the first may lie before `now`. What is known of other resources is forgotten. REQUIRES: at
  // least one step.
  void Take(Instant now, const std::vector<Backfilling::Step>& steps);
  // Forgets what was free before this time.
  void ForgetBefore(Instant at);
  // What was and will be free; before the first step it was the same as in it.
  const std::vector<Backfilling::Step>& steps() const { return steps_; }

 private:
  std::vector<Backfilling::Step> steps_;
};

}  // namespace muster::forecast
