// Merging in the constructor establishes the invariant; all other operations are linear walks.
#include "base/interval.h"

#include <algorithm>

namespace muster {

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  for (const Interval& i : intervals) {
    if (i.begin >= i.end) continue;
    if (!intervals_.empty() && i.begin <= intervals_.back().end) {
      intervals_.back().end = std::max(intervals_.back().end, i.end);
    } else {
      intervals_.push_back(i);
    }
  }
}

IntervalSet IntervalSet::From(Instant begin) { return IntervalSet({{begin, kFarFuture}}); }

IntervalSet IntervalSet::Only(Instant at) { return IntervalSet({{at, at + Span{1}}}); }

bool IntervalSet::Contains(Instant t) const {
  const std::optional<Instant> first = FirstFrom(t);
  return first.has_value() && *first == t;
}

std::optional<Instant> IntervalSet::FirstFrom(Instant t) const {
  const auto it = std::partition_point(intervals_.begin(), intervals_.end(),
                                       [t](const Interval& i) { return i.end <= t; });
  if (it == intervals_.end()) return std::nullopt;
  return std::max(it->begin, t);
}

IntervalSet IntervalSet::Shifted(Span by) const {
  IntervalSet out;
  out.intervals_.reserve(intervals_.size());
  for (const Interval& i : intervals_) {
    // An open end stays open, so that shifting back restores the set.
    const Instant end = i.end >= kFarFuture ? kFarFuture : i.end + by;
    if (i.begin + by < end) out.intervals_.push_back({i.begin + by, end});
  }
  return out;
}

IntervalSet IntervalSet::Intersect(const IntervalSet& other) const {
  IntervalSet out;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    const Interval both{std::max(a->begin, b->begin), std::min(a->end, b->end)};
    if (both.begin < both.end) out.intervals_.push_back(both);
    if (a->end < b->end) {
      ++a;
    } else {
      ++b;
    }
  }
  return out;
}

IntervalSet IntervalSet::NotBefore(Instant t) const { return Intersect(From(t)); }

IntervalSet IntervalSet::FirstIntervals(size_t k) const {
  IntervalSet out;
  out.intervals_.assign(intervals_.begin(),
                        intervals_.begin() + static_cast<long>(std::min(k, intervals_.size())));
  return out;
}

std::string ToText(const IntervalSet& set) {
  std::string out = "{";
  for (const Interval& i : set.intervals()) {
    if (out.size() > 1) out += ' ';
    out += "[" + std::to_string(i.begin.seconds) + ",";
    out += i.end >= kFarFuture ? "∞" : std::to_string(i.end.seconds);
    out += ")";
  }
  return out + "}";
}

}  // namespace muster
