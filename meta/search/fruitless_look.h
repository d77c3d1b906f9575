// A look for an earlier start of a promised co-allocation that found none. While no room is freed
// and the sites offer nothing that it did not see, another look would find none either and is
// skipped. scheduling.md section 5 (joint moves).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"

namespace muster::meta {

// A site's shadow can offer more only if this changes, since bookings only take room away.
struct SiteRoom {
  bool usable = false;  // the site is up and can take jobs
  uint64_t freed = 0;   // Shadow::freed
  Span turnover;
  bool operator==(const SiteRoom&) const = default;
};

struct FruitlessLook {
  Fence place;                   // the place that was to be improved
  std::vector<SiteRoom> rooms;   // of the listed sites, in their order
  Interval within;               // no start was found here
  std::optional<Instant> later;  // the earliest start found behind that, not worth a move yet
  // By member: when its present parts might start, by its shadow and its offer.
  std::map<std::string, IntervalSet> seen;

  // True if a look for a start in `now` would find none. `offers` by member, as in Attempt.
  bool StillHolds(const Fence& at, const std::vector<SiteRoom>& rooms_now, const Interval& now,
                  const std::map<std::string, IntervalSet>& offers) const;
};

}  // namespace muster::meta
