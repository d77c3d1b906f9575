// Civil dates use Abseil's civil times; offsets from UTC come only from the Zone.
#include "base/calendar.h"

#include <absl/time/civil_time.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster {

Civil ToCivil(Instant instant) {
  const absl::CivilSecond at = absl::CivilSecond() + instant.seconds;
  return {.year = at.year(),
          .month = at.month(),
          .day = at.day(),
          .hour = at.hour(),
          .minute = at.minute(),
          .second = at.second()};
}

Instant FromCivil(const Civil& civil) {
  const absl::CivilSecond at(civil.year, civil.month, civil.day, civil.hour, civil.minute,
                             civil.second);
  return {at - absl::CivilSecond()};
}

Zone::Zone(Span first, std::vector<Change> changes) : first_(first), changes_(std::move(changes)) {
  MUSTER_CHECK(std::is_sorted(changes_.begin(), changes_.end(),
                              [](const Change& a, const Change& b) { return a.from < b.from; }));
  const auto near = [](Span offset) { return offset <= kMostOffset && -offset <= kMostOffset; };
  MUSTER_CHECK(near(first_) && std::all_of(changes_.begin(), changes_.end(),
                                           [&](const Change& c) { return near(c.offset); }));
}

Span Zone::OffsetAt(Instant instant) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), instant,
                       [](Instant value, const Change& change) { return value < change.from; });
  return after == changes_.begin() ? first_ : std::prev(after)->offset;
}

Instant Zone::FromLocal(const Civil& civil) const {
  const Instant as_utc = FromCivil(civil);
  // The offsets one day before and one day after bracket any single change.
  const Span before = OffsetAt(as_utc - Span{kDaySeconds});
  const Span after = OffsetAt(as_utc + Span{kDaySeconds});
  const Instant early = as_utc - before;
  if (OffsetAt(early) == before) return early;
  const Instant late = as_utc - after;
  return OffsetAt(late) == after ? late : early;
}

Instant Zone::FirstShowing(Instant local) const {
  // Skips offsets that end so early that local time stays below `local` throughout.
  auto next =
      std::upper_bound(changes_.begin(), changes_.end(), local - kMostOffset,
                       [](Instant value, const Change& change) { return value < change.from; });
  while (true) {
    const bool is_first = next == changes_.begin();
    const Span offset = is_first ? first_ : std::prev(next)->offset;
    const Instant shown = local - offset;
    if (next == changes_.end() || shown < next->from) {
      return is_first ? shown : std::max(shown, std::prev(next)->from);
    }
    ++next;
  }
}

}  // namespace muster
