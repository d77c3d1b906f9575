// Finds which units of a machine are free over the window of a part while its start moves forward.
// A unit is looked at again only where its state may have changed.
#pragma once

#include <vector>

#include "base/time.h"
#include "site/machine/bits.h"
#include "site/plan/occupancy.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"

namespace muster::plan {

// REQUIRES a machine with a geometry, that the constructor's arguments outlive it and do not
// change, and that successive starts never go back in time.
class FreeUnits {
 public:
  FreeUnits(const Occupancy& occupancy, const PartShape& part);

  // The part's host units that are wholly free over the window of this start.
  const machine::Bits& At(Instant start);
  // The earliest start for which At may give another result than in its last call.
  Instant SameUntil() const;
  // The first start after `start` at which some unit is free that is not free at `start`.
  Instant NextRise(Instant start);
  // The first start after `start` at which one of the assigned units is not free. REQUIRES that all
  // are free at `start`.
  Instant HoldUntil(Instant start, const std::vector<Assignment>& assigned);

 private:
  void Ask(uint32_t unit, Instant start);

  const Occupancy& occupancy_;
  const PartShape& part_;
  machine::Bits free_;
  std::vector<Instant> until_;  // by unit: its state does not change before this start
};

}  // namespace muster::plan
