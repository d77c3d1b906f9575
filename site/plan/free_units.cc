// A unit is free if its share and all resources that the part asks for are wholly unused. The share
// alone is not enough: a standing reservation takes no share of a node, but some of its resources.
#include "site/plan/free_units.h"

#include <algorithm>

namespace muster::plan {

FreeUnits::FreeUnits(const Occupancy& occupancy, const PartShape& part)
    : occupancy_(occupancy),
      part_(part),
      free_(occupancy.machine().geometry()->unit_count()),
      until_(free_.width(), kFarFuture) {
  part.partition->hosts.ForEach([this](size_t unit) { until_[unit] = Instant{INT64_MIN}; });
}

void FreeUnits::Ask(uint32_t unit, Instant start) {
  const uint32_t node = occupancy_.machine().NodeOf(unit);
  occupancy_.Look(1);
  Instant begin = start + part_.shift;
  const auto each = [&](auto visit) {
    visit(occupancy_.share());
    for (const uint32_t d : part_.dimensions) visit(d);
  };
  for (bool moved = true; moved && begin < kFarFuture;) {
    moved = false;
    each([&](uint32_t d) {
      if (begin >= kFarFuture) return;
      const Instant fit =
          occupancy_.Of(node, d).EarliestFit(occupancy_.Whole(node, d), part_.length, begin);
      moved |= fit > begin;
      begin = fit;
    });
  }
  const Instant rise = begin >= kFarFuture ? kFarFuture : begin - part_.shift;
  if (rise > start) {
    free_.Clear(unit);
    until_[unit] = rise;
    return;
  }
  free_.Set(unit);
  Instant until = kFarFuture;
  each([&](uint32_t d) {
    const Instant shortage = occupancy_.Of(node, d).FirstShort(occupancy_.Whole(node, d), begin);
    if (shortage >= kFarFuture) return;
    until = std::min(until, shortage - part_.shift - part_.length + Span{1});
  });
  until_[unit] = until;
}

const machine::Bits& FreeUnits::At(Instant start) {
  for (uint32_t unit = 0; unit < until_.size(); ++unit) {
    if (until_[unit] <= start) Ask(unit, start);
  }
  return free_;
}

Instant FreeUnits::SameUntil() const { return *std::min_element(until_.begin(), until_.end()); }

Instant FreeUnits::NextRise(Instant start) {
  At(start);
  Instant next = kFarFuture;
  for (size_t unit = 0; unit < until_.size(); ++unit) {
    if (!free_.Test(unit)) next = std::min(next, until_[unit]);
  }
  return next;
}

Instant FreeUnits::HoldUntil(Instant start, const std::vector<Assignment>& assigned) {
  At(start);
  Instant until = kFarFuture;
  for (const Assignment& a : assigned) {
    until = std::min(until, until_[occupancy_.machine().UnitOf(a.node)]);
  }
  return until;
}

}  // namespace muster::plan
