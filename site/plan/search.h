// Finds the earliest start and the exact set of starts at which the mapper succeeds. Its success
// changes only at edges of what is booked and at edges less the window's length (scheduling.md
// section 3). So nothing is sampled: the search leaps from one start at which something may change
// to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "site/plan/mapper.h"
#include "site/plan/occupancy.h"
#include "site/plan/shape.h"
#include "site/plan/sieve.h"
#include "site/plan/switch_sieve.h"

namespace muster::plan {

struct Found {
  Instant start;
  Mapping mapping;
};

// One pass forward in time. REQUIRES that occupancy and shape outlive it and do not change, and
// that successive calls never go back in time.
class Search {
 public:
  Search(const Occupancy& occupancy, const Shape& shape);

  // The mapping at exactly this start, if it works.
  std::optional<Mapping> At(Instant start);
  // The earliest start in [from, until) that maps.
  std::optional<Found> First(Instant from, Instant until);
  // The earliest start in `allowed` that maps.
  std::optional<Found> FirstIn(const IntervalSet& allowed);
  // The starts from the found one on for which its mapping works, up to `until`. Later starts may
  // work with another mapping.
  Starts From(const Found& found, Instant until);
  // The feasible starts in `allowed`: the first `intervals` maximal intervals, and up to which
  // start the list is complete.
  Starts Feasible(const IntervalSet& allowed, size_t intervals);

 private:
  Instant LeapByStarts(Instant t, Instant until);
  Instant LeapBySums(Instant t) const;
  Instant LeapByAccounts(Instant t) const;
  // First instant after t at which an account that has room at t may have none.
  Instant AccountsHoldUntil(Instant t) const;
  Instant LeapByNodes(Instant t, Instant until);
  // First instant after t at which the mapper may fail, given that it made this mapping at t.
  Instant HoldsUntil(Instant t, const Mapping& mapping);
  // Earliest start after t at which any node can take more than at t.
  Instant NextRise(Instant t);

  const Occupancy& occupancy_;
  const Shape& shape_;
  std::vector<std::vector<Sieve>> sieves_;  // by part, group
  std::vector<SwitchSieve> below_one_;      // of parts below one switch
  Mapper mapper_;
};

}  // namespace muster::plan
