// How much is taken at every instant, by sweeping over the ends of intervals: the one sum behind
// nodes, job-wide resources, limits and pools.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"

namespace muster::sim {

// A booking has `amounts` over `span`. Of the bookings of a chain one at most runs: they count as
// their maximum.
struct Taken {
  Interval span;
  ResourceSet amounts;
  std::string chain;
  std::string order;  // its booking
  uint32_t part = 0;
  bool exclusive = false;
};

// From `span.begin` to `span.end` exactly `amounts` are taken by `who`, in the order given.
struct Level {
  Interval span;
  const ResourceSet& amounts;
  const std::set<const Taken*>& who;
};

// Calls `look` for every stretch from `from` on over which what is taken does not change, in order,
// until it returns false.
void Sweep(const std::vector<Taken>& taken, Instant from,
           const std::function<bool(const Level&)>& look);

// "41 [100,200) 42 [150,300)": who they are, for people.
std::string Names(const std::set<const Taken*>& who);

}  // namespace muster::sim
