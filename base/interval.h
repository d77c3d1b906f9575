// Sets of instants as sorted, disjoint, half-open intervals: allowed starts, feasible starts,
// windows. scheduling.md section 3 ("Feasible-start set"), protocol.md section 2 (verdict).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace muster {

// [begin, end). REQUIRES begin < end when part of an IntervalSet.
struct Interval {
  Instant begin;
  Instant end;
  auto operator<=>(const Interval&) const = default;
};

// A set of instants. Invariant: intervals ascending, disjoint, non-touching, none empty.
class IntervalSet {
 public:
  IntervalSet() = default;
  // Takes intervals in any order; overlapping and touching ones are merged, empty ones dropped.
  explicit IntervalSet(std::vector<Interval> intervals);
  // [begin, kFarFuture).
  static IntervalSet From(Instant begin);
  // {at}.
  static IntervalSet Only(Instant at);

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  bool Contains(Instant t) const;
  // Smallest member >= t, if any.
  std::optional<Instant> FirstFrom(Instant t) const;
  // The set with every member moved by `by`.
  IntervalSet Shifted(Span by) const;
  // Intersection, in O(n + m).
  IntervalSet Intersect(const IntervalSet& other) const;
  // The members >= t.
  IntervalSet NotBefore(Instant t) const;
  // The first k intervals; all if there are fewer.
  IntervalSet FirstIntervals(size_t k) const;

  bool operator==(const IntervalSet&) const = default;

 private:
  std::vector<Interval> intervals_;
};

// "{[10,20) [30,∞)}" in seconds, for logs and tests.
std::string ToText(const IntervalSet& set);

}  // namespace muster
