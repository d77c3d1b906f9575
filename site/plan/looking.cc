// Answers questions of people: what is in the way, which windows are free, what state a node is in.
// Writes nothing.
#include <algorithm>
#include <utility>

#include "site/plan/apart.h"
#include "site/plan/mapper.h"
#include "site/plan/plan.h"
#include "site/plan/search.h"
#include "site/plan/shape.h"

namespace muster::plan {

Occupancy Plan::Without(const std::vector<Fence>& ignoring) const {
  Occupancy occupancy = occupancy_;
  for (const Members& group : GroupsOf(ignoring)) Put(occupancy, group, false);
  return occupancy;
}

// Adds the obstacles on each host that can take fewer sets over the window than if it were empty:
// the bookings that use an amount which the host lacks for one set more.
void Plan::AddObstacles(const Occupancy& occupancy, const PartShape& part, const Group& group,
                        Instant start, std::vector<Obstacle>& out) const {
  const Instant begin = start + part.shift;
  const Instant end = begin + part.length;
  std::vector<std::pair<uint32_t, int64_t>> needs = group.needs;
  needs.emplace_back(occupancy.share(), part.exclusive ? kWholeNode : 1);
  for (const uint32_t node : group.hosts) {
    if (!usable_[node]) {
      out.push_back({node, std::nullopt, 0, std::nullopt, 0, begin, end});
      continue;
    }
    int64_t most = part.place == Place::kFree ? group.count : 1;
    int64_t sets = most;
    for (const auto& [d, amount] : needs) {
      most = std::min(most, occupancy.Capacity(node, d) / amount);
      sets =
          std::min(sets, std::max<int64_t>(occupancy.Of(node, d).FreeIn(begin, end), 0) / amount);
    }
    if (sets >= most) continue;
    for (const Occupant& occupant : occupancy.OccupantsOf(node).Within(begin, end)) {
      const Booking* booking = bookings_.Find(occupant.fence);
      if (booking == nullptr) continue;
      const std::vector<NodeUse>& uses = booking->parts[occupant.part].uses;
      const auto use = std::find_if(uses.begin(), uses.end(),
                                    [node](const NodeUse& u) { return u.node == node; });
      if (use == uses.end()) continue;
      for (const auto& [d, amount] : needs) {
        const int64_t wanted = SaturatingProduct(amount, sets + 1);
        const bool lacks = occupancy.Of(node, d).FreeIn(begin, end) < wanted;
        if (!lacks || use->amounts[d] == 0) continue;
        std::optional<uint32_t> dimension;
        if (d != occupancy.share()) dimension = d;
        out.push_back({node, occupant.fence, occupant.part, dimension, use->amounts[d],
                       occupant.begin, occupant.end});
        break;
      }
    }
  }
}

std::vector<Obstacle> Plan::Obstacles(const Question& question, Instant start) const {
  std::vector<Obstacle> out;
  if (CheckOrder(question.order).has_value()) return out;
  const std::vector<bool> all(machine_->node_count(), true);
  Occupancy occupancy = Without(question.ignoring);
  const Apart apart(*this, question.order, question.allowed, occupancy, question.ignoring);
  const Ruling ruling = rules_->On(question.order, occupancy.accounts(), start);
  for (const Way& way : WaysOf(question.order, *machine_, time_limits_).all) {
    const Shape shape = Compile(question.order, way, *machine_, all, settings_.turnover, ruling);
    for (const PartShape& part : shape.parts) {
      for (const Group& group : part.groups) AddObstacles(occupancy, part, group, start, out);
    }
  }
  // Several groups or parts may meet the same booking.
  const auto same = [](const Obstacle& a, const Obstacle& b) {
    return a.node == b.node && a.fence == b.fence && a.part == b.part;
  };
  std::vector<Obstacle> distinct;
  for (const Obstacle& o : out) {
    const bool known = std::any_of(distinct.begin(), distinct.end(),
                                   [&](const Obstacle& d) { return same(d, o); });
    if (!known) distinct.push_back(o);
  }
  return distinct;
}

// The booking that begins exactly where a window of the last feasible start ended. If there is none
// (first fit went another way), the first booking in the way.
std::optional<Obstacle> Plan::EndOf(const Question& question, const Shape& shape,
                                    Instant end) const {
  std::optional<Obstacle> first;
  for (const Obstacle& obstacle : Obstacles(question, end)) {
    if (!obstacle.fence.has_value()) continue;
    for (const PartShape& part : shape.parts) {
      if (obstacle.begin == end - Span{1} + part.shift + part.length) return obstacle;
    }
    if (!first.has_value() || obstacle.begin < first->begin) first = obstacle;
  }
  return first;
}

std::vector<Window> Plan::Windows(const Question& question, Instant until, Instant now,
                                  size_t limit) const {
  std::vector<Window> out;
  if (CheckOrder(question.order).has_value()) return out;
  Occupancy occupancy = Without(question.ignoring);
  const Apart apart(*this, question.order, question.allowed, occupancy, question.ignoring);
  const Ruling ruling = rules_->On(question.order, occupancy.accounts(), now);
  if (ruling.refuses.has_value()) return out;
  const CompiledWays compiled = WaysFor(question.order, ruling);
  if (compiled.ways.none.has_value()) return out;
  const IntervalSet inside = WithinHorizon(question.order, question.allowed, now);
  const IntervalSet asked = inside.Intersect(IntervalSet({{Instant{INT64_MIN}, until}}));
  const Instant horizon = LastStart(question.order, now) + Span{1};
  const Starts feasible = FeasibleBy(occupancy, compiled, asked, limit);
  for (Interval interval : feasible.starts.intervals()) {
    if (interval.end == until && inside.Contains(until)) {  // the window may go on beyond `until`
      const IntervalSet rest = inside.NotBefore(interval.begin);
      interval.end = FeasibleBy(occupancy, compiled, rest, 1).starts.intervals().front().end;
    }
    const Picked picked = *PickAt(occupancy, compiled, interval.begin);
    Window& window = out.emplace_back();
    window.from = interval.begin;
    if (interval.end < horizon) {
      window.last = interval.end - Span{1};
      if (inside.Contains(interval.end))
        window.ended_by = EndOf(question, compiled.shapes[picked.way], interval.end);
    }
    for (const std::vector<Assignment>& part : picked.found.mapping) {
      for (const Assignment& a : part) {
        const bool known =
            std::find(window.nodes.begin(), window.nodes.end(), a.node) != window.nodes.end();
        if (!known) window.nodes.push_back(a.node);
      }
    }
  }
  return out;
}

NodeNow Plan::Now(uint32_t node, Instant now, const IntervalSet& closed) const {
  NodeNow out;
  for (uint32_t r = 0; r < machine_->resource_count(); ++r) {
    const int64_t used = occupancy_.Of(node, r).At(now);
    if (used > 0) out.used.Set(machine_->resource(r), used);
  }
  for (const Occupant& occupant : occupancy_.OccupantsOf(node).Within(now, now + Span{1})) {
    out.there.emplace_back(occupant.fence, occupant.part);
  }
  for (const Occupant& occupant : occupancy_.OccupantsOf(node).Within(now, kFarFuture)) {
    const Booking* booking = bookings_.Find(occupant.fence);
    out.booked = out.booked || booking == nullptr || !booking->order.standing;
  }
  if (!usable_[node]) return out;
  const rusv::Rusv& share = occupancy_.Of(node, occupancy_.share());
  const auto free_from = [&](Instant from) {
    const Instant fit =
        share.EarliestFit(kWholeNode, settings_.turnover + Span{1}, from - settings_.turnover);
    return fit >= kFarFuture ? kFarFuture : fit + settings_.turnover;
  };
  Instant free_at = free_from(now);
  Instant closes = kFarFuture;
  for (const Interval& shut : closed.intervals()) {
    if (free_at < shut.begin) {
      closes = shut.begin;
      break;
    }
    if (free_at < shut.end) free_at = shut.end < kFarFuture ? free_from(shut.end) : kFarFuture;
  }
  if (free_at >= kFarFuture) return out;
  out.free_at = free_at;
  const Instant next = std::min(closes, share.FirstShort(kWholeNode, free_at));
  if (next < kFarFuture) out.free_until = next;
  return out;
}

}  // namespace muster::plan
