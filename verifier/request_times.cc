// Pure rewriting; a request was validated before it comes here.
#include "verifier/request_times.h"

#include <algorithm>

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

Instant LastAllowedStart(const schemas::RequestSpec& spec) {
  if (spec.at) return *spec.at;
  Instant last = kFarFuture;
  if (spec.start_by) last = std::min(last, *spec.start_by);
  if (spec.deadline) last = std::min(last, *spec.deadline - spec.duration - LastOffset(spec));
  return last;
}

IntervalSet AllowedStarts(const schemas::RequestSpec& spec) {
  if (spec.at) return IntervalSet::Only(*spec.at);
  const Instant begin = spec.from.value_or(Instant{0});
  const Instant last = LastAllowedStart(spec);
  return IntervalSet({{begin, last >= kFarFuture ? kFarFuture : last + Span{1}}});
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
          .group = part.group};
}

}  // namespace muster::verifier
