// base expands validities; this adds the time for which they are not expanded.
#include "site/plan/rules/times.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::rules {

IntervalSet Minus(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> left;
  auto cut = b.intervals().begin();
  for (Interval rest : a.intervals()) {
    while (cut != b.intervals().end() && cut->end <= rest.begin) ++cut;
    for (auto it = cut; it != b.intervals().end() && it->begin < rest.end; ++it) {
      if (it->begin > rest.begin) left.push_back({rest.begin, it->begin});
      rest.begin = std::max(rest.begin, it->end);
      if (rest.begin >= rest.end) break;
    }
    if (rest.begin < rest.end) left.push_back(rest);
  }
  return IntervalSet(std::move(left));
}

Times TimesOf(const Validity& validity, const Zone& zone, Instant from, Instant until) {
  if (validity.kind == Validity::Kind::kAlways) {
    return {.valid = IntervalSet({kAllTime}), .always = true};
  }
  if (validity.kind == Validity::Kind::kBetween) {
    return {.valid = Intervals(validity, zone, kAllTime.begin, kAllTime.end).intervals};
  }
  const Expansion known = Intervals(validity, zone, from, until);
  std::vector<Interval> all = known.intervals.intervals();
  all.push_back({known.complete_until, kAllTime.end});
  return {.valid = IntervalSet(std::move(all)), .known_until = known.complete_until};
}

}  // namespace muster::rules
