// Pure computations on a validated request.
#include "verifier/request_times.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"

namespace muster::verifier {

Span FirstOffset(const schemas::RequestSpec& spec) {
  MUSTER_CHECK(!spec.parts.empty());
  Span first = spec.parts[0].offset;
  for (const schemas::PartSpec& part : spec.parts) first = std::min(first, part.offset);
  return first;
}

Span LastOffset(const schemas::RequestSpec& spec) {
  Span last;
  for (const schemas::PartSpec& part : spec.parts) last = std::max(last, part.offset);
  return last;
}

namespace {

// A request that must lie wholly inside one of its slots [b, e) may start at any instant of [b -
// first offset, e - duration - last offset] of a slot.
IntervalSet SlotStarts(const schemas::RequestSpec& spec, Span duration) {
  std::vector<Interval> starts;
  for (const Interval& slot : spec.slots.intervals()) {
    const Interval one{slot.begin - FirstOffset(spec),
                       slot.end - duration - LastOffset(spec) + Span{1}};
    if (one.begin < one.end) starts.push_back(one);
  }
  return IntervalSet(std::move(starts));
}

}  // namespace

Instant LastAllowedStart(const schemas::RequestSpec& spec) {
  return LastAllowedStart(spec, spec.duration);
}

Instant LastAllowedStart(const schemas::RequestSpec& spec, Span duration) {
  if (spec.at) return *spec.at;
  Instant last = kFarFuture;
  if (!spec.slots.empty()) {
    const IntervalSet slots = SlotStarts(spec, duration);
    last = slots.empty() ? Instant{-1} : slots.intervals().back().end - Span{1};
  }
  if (spec.start_by) last = std::min(last, *spec.start_by);
  if (spec.deadline) last = std::min(last, *spec.deadline - duration - LastOffset(spec));
  return last;
}

IntervalSet AllowedStarts(const schemas::RequestSpec& spec) {
  return AllowedStarts(spec, spec.duration);
}

IntervalSet AllowedStarts(const schemas::RequestSpec& spec, Span duration) {
  const auto in_slots = [&](const IntervalSet& starts) {
    return spec.slots.empty() ? starts : starts.Intersect(SlotStarts(spec, duration));
  };
  if (spec.at) return in_slots(IntervalSet::Only(*spec.at));
  const Instant begin = spec.from.value_or(Instant{0});
  const Instant last = LastAllowedStart(spec, duration);
  return in_slots(IntervalSet({{begin, last >= kFarFuture ? kFarFuture : last + Span{1}}}));
}

schemas::PartDemand DemandOf(const schemas::RequestSpec& spec, uint32_t index, Span tail) {
  MUSTER_CHECK(index >= 1 && index <= spec.parts.size());
  const schemas::PartSpec& part = spec.parts[index - 1];
  return {.index = index,
          .chunks = part.chunks,
          .duration = spec.duration,
          .offset = part.offset,
          .tail = tail,
          .place = part.place,
          .exclusive = part.exclusive,
          .jobwide = part.jobwide,
          .set = part.set,
          .by_clock = spec.reserves.has_value()};
}

}  // namespace muster::verifier
