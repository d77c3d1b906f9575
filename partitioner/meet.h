// The common start of several sites. CCS Sect. 5: the partitioner iterates until it has found the
// right machines and a suitable time slot for synchronous requests; scheduling.md sections 1 (R6)
// and 4.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/interval.h"

namespace muster::partitioner {

// Starts that all sets allow; a merge, O(sets * intervals). REQUIRES: at least one set.
IntervalSet CommonStarts(const std::vector<IntervalSet>& sets);

// Earliest start of a site not before t; none if there is none.
using EarliestFrom = std::function<std::optional<Instant>(Instant t)>;

// Leapfrog: the earliest t >= from that all sites name for themselves; none if one has none or the
// search does not settle within kLeaps.
std::optional<Instant> MeetFrom(const std::vector<EarliestFrom>& sites, Instant from);

inline constexpr int kLeaps = 1000;  // 3.5 on average; a bound against a pathological pair

// How a request seeks its common start (kMeetTries, scheduling.md section 4): `tries` times at the
// best slot, then four times at the first one >= t* + 5, 10, 20, 40 min, then it is contended.
// None: contended.
std::optional<Span> MeetSlack(size_t attempt, size_t tries);

}  // namespace muster::partitioner
