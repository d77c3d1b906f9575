// The lowest room: the meta's options, identity and clock, and the numbers it assigns.
//
// Rooms are layers. The layer of a room derives from the layer of the room below it, so a function
// can use what is below and cannot name what is above: docs/adr/0046.
#pragma once

#include "base/random.h"
#include "meta/options.h"
#include "schemas/kept.h"
#include "schemas/meta_records.h"
#include "verifier/floor.h"
#include "verifier/plan_clock.h"

namespace muster::meta {

struct TurnLayer {
  explicit TurnLayer(const Now& now) : clock(now), random(0), started(now.boot) {}

  Options options;
  schemas::KeptOne<schemas::MetaIdentity> identity;
  bool fresh = true;  // the first turn of this epoch has not ended yet
  verifier::PlanClock clock;
  Random random;
  verifier::FenceMint fences;
  uint64_t last_message = 0;
  BootInstant started;
};

}  // namespace muster::meta
