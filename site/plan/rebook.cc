// Planning a booking again: a pass of backfilling, a move for a cause, and where else it could be.
// OpenCCS Sect. 5.3 (revoke one, plan it, keep the better).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/plan/apart.h"
#include "site/plan/mapper.h"
#include "site/plan/plan.h"
#include "site/plan/search.h"
#include "site/plan/sieve.h"

namespace muster::plan {
namespace {

// True if the order has several ways as a rule: one for each speed, or for each group of its set.
// What follows needs a single one, and finding them all to learn that takes longest.
bool ChoosesAmongNodes(const Order& order, const machine::Machine& machine) {
  return std::any_of(order.parts.begin(), order.parts.end(), [&](const Part& part) {
    if (part.set && part.set->attribute == kSpeedAttribute) return part.set->values.size() != 1;
    return !part.set && !part.by_clock && !machine.one_speed();
  });
}

}  // namespace

Plan::Released Plan::GivenBy(const Members& members, Instant now) {
  Released given{{kFarFuture, now}, {}};
  for (const auto& [member, one] : members) {
    for (const Booked& part : one->parts) {
      given.booked.begin = std::min(given.booked.begin, part.begin);
      given.booked.end = std::max(given.booked.end, part.end);
      for (const NodeUse& use : part.uses) given.nodes.push_back(use.node);
    }
  }
  return given;
}

// `last` is where the latest window for a start in `inside` begins. Each of these windows that
// meets the booking's own window covers all of [last, booked.begin). If none of the booking's nodes
// has room for one set more throughout that time, removing the booking gains nothing.
bool Plan::NeedsItself(const Booking& booking, const Shape& shape,
                       const IntervalSet& inside) const {
  if (booking.group != 0 || shape.parts.size() != 1 || !shape.monotone) return true;
  const PartShape& part = shape.parts.front();
  const Booked& booked = booking.parts.front();
  if (part.partition.has_value() || part.groups.size() != 1) return true;
  if (booked.begin <= occupancy_.forgotten() || booked.begin >= booked.end) return true;
  if (!inside.NotBefore(booked.begin - part.shift).empty()) return true;
  if (inside.empty()) return false;
  const Instant last = inside.intervals().back().end - Span{1} + part.shift;
  const Sieve one(occupancy_, part, part.groups.front(), false);
  return std::any_of(booked.uses.begin(), booked.uses.end(), [&](const NodeUse& use) {
    return one.MayTake(use.node, booked.begin - last, last, last + Span{1});
  });
}

// Most bookings stay where they are, and mostly this shows without removing them.
std::optional<Answer> Plan::RebookBesideItself(const Fence& fence, const IntervalSet& allowed,
                                               Instant now) {
  Booking& booking = bookings_.At(fence);
  if (ChoosesAmongNodes(booking.order, *machine_)) return std::nullopt;
  const Ruling ruling = rules_->On(booking.order, occupancy_.accounts(), now);
  const bool ruled =
      !booking.counts.empty() || !ruling.counts.empty() || ruling.refuses.has_value();
  if (ruled || CheckOrder(booking.order).has_value()) return std::nullopt;
  const CompiledWays compiled = WaysFor(booking.order, ruling);
  if (!compiled.single()) return std::nullopt;
  const Shape& shape = compiled.shapes[0];
  const IntervalSet inside = WithinHorizon(booking.order, allowed, now);
  if (NeedsItself(booking, shape, inside)) return std::nullopt;
  std::optional<Found> found = FindFirst(occupancy_, booking.order, ruling, shape, inside, nullptr);
  if (!found.has_value()) return Refused{};
  auto uses = UsesOf(booking.order, found->mapping, occupancy_);
  Placed placed{found->start, std::move(found->mapping), TakenBy(uses),
                ChosenBy(booking.order, compiled.ways.all[0])};
  Put(occupancy_, {{fence, &booking}}, false);
  Replace(fence, booking, ruling, placed);
  Put(occupancy_, {{fence, &booking}}, true);
  return placed;
}

void Plan::Replace(const Fence& fence, Booking& booking, const Ruling& ruling,
                   const Placed& placed) {
  PutLocal(fence, booking, false);
  const uint64_t group = booking.group;
  auto uses = UsesOf(booking.order, placed.mapping, occupancy_);
  booking =
      MakeBooking(std::move(booking.order), ruling, placed.start, std::move(uses), placed.chosen);
  booking.group = group;
  PutLocal(fence, booking, true);
  ++revision_;
}

Answer Plan::Rebook(const Fence& fence, const IntervalSet& allowed, Instant now, size_t intervals,
                    bool gives_way) {
  MUSTER_CHECK(Has(fence));
  std::optional<Apart> apart;
  if (gives_way) apart.emplace(*this, OrderOf(fence), allowed, occupancy_);
  if (intervals == 0) {
    std::optional<Answer> answer = RebookBesideItself(fence, allowed, now);
    if (answer.has_value()) return *std::move(answer);
  }
  Booking& booking = bookings_.At(fence);
  const Members members = MembersOf(fence);
  const Released given = GivenBy(members, now);
  Put(occupancy_, members, false, false);
  const Ruling ruling = rules_->On(booking.order, occupancy_.accounts(), now);
  Answer answer =
      PlanOn(occupancy_, booking.order, ruling, allowed, now, intervals, &booking, &given);
  if (const auto* placed = std::get_if<Placed>(&answer)) Replace(fence, booking, ruling, *placed);
  Put(occupancy_, members, true);
  return answer;
}

// A booking that was restored with a group that its order has no more gives way to any other.
Present Plan::PresentOf(const Booking& booking, const Ways& ways) {
  Present out{booking.start, {}};
  for (const Way& way : ways.all) {
    const std::vector<Chosen> chosen = ChosenBy(booking.order, way);
    const auto same = [](const Chosen& a, const Chosen& b) { return a.group == b.group; };
    if (std::equal(chosen.begin(), chosen.end(), booking.chosen.begin(), booking.chosen.end(),
                   same)) {
      out.wish = way.wish;
      return out;
    }
    out.wish = std::max(out.wish, way.wish);
  }
  return out;
}

IntervalSet Plan::StartsIn(const Order& order, const Ruling& ruling, const CompiledWays& compiled,
                           const IntervalSet& inside, const std::optional<Present>& present,
                           const Released* given, size_t intervals) const {
  if (compiled.single()) {
    const Shape& shape = compiled.shapes[0];
    const std::optional<Found> found = FindFirst(occupancy_, order, ruling, shape, inside, given);
    if (!found.has_value()) return {};
    const IntervalSet rest = inside.Intersect(IntervalSet::From(found->start));
    return Search(occupancy_, shape).Feasible(rest, intervals).starts;
  }
  std::vector<Interval> all;
  for (size_t w = 0; w < compiled.shapes.size(); ++w) {
    const IntervalSet open = InsideOf(compiled.ways, w, inside, present);
    const IntervalSet starts =
        Search(occupancy_, compiled.shapes[w]).Feasible(open, intervals).starts;
    all.insert(all.end(), starts.intervals().begin(), starts.intervals().end());
  }
  return IntervalSet(std::move(all)).FirstIntervals(intervals);
}

IntervalSet Plan::OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now,
                              size_t intervals) {
  MUSTER_CHECK(Has(fence));
  const Booking& booking = bookings_.At(fence);
  const Apart apart(*this, booking.order, allowed, occupancy_);
  if (booking.counts.empty()) {
    const Ruling ruling = rules_->On(booking.order, occupancy_.accounts(), now);
    const IntervalSet inside = WithinHorizon(booking.order, allowed, now);
    if (inside.empty()) return {};
    const bool ruled = !ruling.counts.empty() || ruling.refuses.has_value();
    const CompiledWays compiled = WaysFor(booking.order, ruling);
    if (!ruled && compiled.single() && !NeedsItself(booking, compiled.shapes[0], inside)) {
      return StartsIn(booking.order, ruling, compiled, inside, std::nullopt, nullptr, intervals);
    }
  }
  const Members members = MembersOf(fence);
  Released given = GivenBy(members, now);
  given.for_good = false;
  Put(occupancy_, members, false, false);
  IntervalSet starts;
  const Ruling ruling = rules_->On(booking.order, occupancy_.accounts(), now);
  if (!ruling.refuses.has_value()) {
    const CompiledWays compiled = WaysFor(booking.order, ruling);
    starts = StartsIn(booking.order, ruling, compiled, WithinHorizon(booking.order, allowed, now),
                      PresentOf(booking, compiled.ways), &given, intervals);
  }
  Put(occupancy_, members, true);
  return starts;
}

}  // namespace muster::plan
