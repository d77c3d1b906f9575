// Turn after turn of the pattern, cut at the ends of what is asked for.
#include "site/rusv/periodic.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace muster::rusv {

Rusv Transpose(const Rusv& pattern, int64_t items, Instant from, Instant until, Span period) {
  MUSTER_CHECK(period.seconds > 0);
  const std::vector<Slot> one = pattern.Slots();
  if (from >= until || one.empty()) return Rusv(pattern.kind(), pattern.avl());
  MUSTER_CHECK(one.front().start >= Instant{0} && one.back().stop <= Instant{0} + period);
  // The period that `from` lies in, also before 1970.
  int64_t turn = from.seconds / period.seconds;
  if (turn * period.seconds > from.seconds) --turn;
  const int64_t turns = (until.seconds - 1) / period.seconds - turn + 1;
  MUSTER_CHECK(turns <= kMostRepetitions / static_cast<int64_t>(one.size()) + 1);
  std::vector<Slot> all;
  for (Span offset{turn * period.seconds}; Instant{0} + offset < until; offset = offset + period) {
    for (const Slot& slot : one) {
      const Instant start = std::max(slot.start + offset, from);
      const Instant stop = std::min(slot.stop + offset, until);
      if (start < stop) all.push_back({start, stop, items});
    }
  }
  return Rusv::OfSlots(pattern.kind(), pattern.avl(), all);
}

}  // namespace muster::rusv
