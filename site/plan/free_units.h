// Which units of a machine are free over the window of a part, as the start goes forward: a unit is
// asked again only where its state may have changed.
#pragma once

#include <vector>

#include "base/time.h"
#include "site/machine/bits.h"
#include "site/plan/occupancy.h"
#include "site/plan/order.h"
#include "site/plan/shape.h"

namespace muster::plan {

// REQUIRES a machine with a geometry, that what it is given outlives it and does not change, and
// that successive starts never go back in time.
class FreeUnits {
 public:
  FreeUnits(const Occupancy& occupancy, const PartShape& part);

  // Hosts that are wholly free all over the window of this start.
  const machine::Bits& At(Instant start);
  // The first start after that of the last At at which it answers otherwise.
  Instant SameUntil() const;
  // The first start after `start` at which a unit is free that is not at `start`.
  Instant NextRise(Instant start);
  // The first start after `start` at which one of these is not free. REQUIRES that all are at
  // `start`.
  Instant HoldUntil(Instant start, const std::vector<Assignment>& assigned);

 private:
  void Ask(uint32_t unit, Instant start);

  const Occupancy& occupancy_;
  const PartShape& part_;
  machine::Bits free_;
  std::vector<Instant> until_;  // by unit: it stays as it is before this start
};

}  // namespace muster::plan
