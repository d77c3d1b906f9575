// Intersects feasible-start sets exactly, and searches estimates by leapfrog.
#include "partitioner/meet.h"

#include <algorithm>

#include "base/check.h"

namespace muster::partitioner {

IntervalSet CommonStarts(const std::vector<IntervalSet>& sets) {
  MUSTER_CHECK(!sets.empty());
  IntervalSet out = sets[0];
  for (size_t i = 1; i < sets.size(); ++i) out = out.Intersect(sets[i]);
  return out;
}

std::optional<Instant> MeetFrom(const std::vector<EarliestFrom>& sites, Instant from) {
  Instant t = from;
  for (int leap = 0; leap < kLeaps; ++leap) {
    Instant latest = t;
    for (const EarliestFrom& site : sites) {
      const std::optional<Instant> start = site(latest);
      if (!start) return std::nullopt;
      latest = std::max(latest, *start);
    }
    if (latest == t) return t;
    t = latest;
  }
  return std::nullopt;
}

std::optional<Span> MeetSlack(size_t attempt, size_t tries) {
  constexpr Span kSlack[] = {{300}, {600}, {1200}, {2400}};
  if (attempt < tries) return Span{0};
  if (attempt - tries < std::size(kSlack)) return kSlack[attempt - tries];
  return std::nullopt;
}

}  // namespace muster::partitioner
