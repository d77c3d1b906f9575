// Sums what is taken at every instant, by a sweep over the ends of intervals. Nodes, job-wide
// resources, limits and pools all use this sum.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"

namespace muster::sim {

// A booking takes `amounts` over `span`. Of the bookings of a chain at most one runs: a chain
// counts as the maximum of its bookings.
struct Taken {
  Interval span;
  ResourceSet amounts;
  std::string chain;
  std::string order;  // name of its booking
  uint32_t part = 0;
  bool exclusive = false;
};

// Over `span`, `who` take exactly `amounts` together.
struct Level {
  Interval span;
  const ResourceSet& amounts;
  const std::set<const Taken*>& who;
};

// Calls `look` for every interval from `from` on over which the sum is constant, in order of time,
// until it returns false.
void Sweep(const std::vector<Taken>& taken, Instant from,
           const std::function<bool(const Level&)>& look);

// The bookings as text for messages, such as "41 [100,200) 42 [150,300)".
std::string Names(const std::set<const Taken*>& who);

}  // namespace muster::sim
