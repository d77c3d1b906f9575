// The common start of several sites. CCS Sect. 5: the partitioner iterates until it has found the
// right machines and a suitable time slot for synchronous requests; scheduling.md sections 1 (R6)
// and 4.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/interval.h"

namespace muster::partitioner {

// The starts that are in all sets, by a merge in O(sets * intervals). REQUIRES: at least one set.
IntervalSet CommonStarts(const std::vector<IntervalSet>& sets);

// Computes a site's earliest start not before t, if any.
using EarliestFrom = std::function<std::optional<Instant>(Instant t)>;

// Leapfrog search for the earliest t >= from at which every site can start. None if a site has no
// start, or after kLeaps rounds.
std::optional<Instant> MeetFrom(const std::vector<EarliestFrom>& sites, Instant from);

// limit of MeetFrom's rounds, for pathological cases; a search takes 3.5 on average
inline constexpr int kLeaps = 1000;

// How much later than t* the attempt after `attempt` failed ones must start at least (scheduling.md
// section 4). t* is the last common start that the first `tries` attempts found. 0 after fewer than
// `tries` failures, then 5, 10, 20 and 40 min. Returns nullopt when these are used up: the request
// is contended.
std::optional<Span> MeetSlack(size_t attempt, size_t tries);

}  // namespace muster::partitioner
