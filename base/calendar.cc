// Civil dates by whole eras of 400 years, so that no loop depends on the year.
#include "base/calendar.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster {
namespace {

constexpr int64_t kEraDays = 146097;

// Days since 1970-01-01. Years begin in March here, so that the leap day comes last.
int64_t DaysFromDate(int64_t year, int64_t month, int64_t day) {
  year += FloorDivide(month - 1, 12);
  month = month - 1 - 12 * FloorDivide(month - 1, 12);  // 0-11
  if (month < 2) --year;
  const int64_t era = FloorDivide(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t march_month = (month + 10) % 12;
  const int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
  return era * kEraDays + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

}  // namespace

Civil ToCivil(Instant instant) {
  const int64_t day = FloorDivide(instant.seconds, kDaySeconds);
  const int64_t second = instant.seconds - day * kDaySeconds;
  const int64_t shifted = day + 719468;
  const int64_t era = FloorDivide(shifted, kEraDays);
  const int64_t day_of_era = shifted - era * kEraDays;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t march_month = (5 * day_of_year + 2) / 153;
  const int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = static_cast<int32_t>(month),
          .day = static_cast<int32_t>(day_of_year - (153 * march_month + 2) / 5 + 1),
          .hour = static_cast<int32_t>(second / 3600),
          .minute = static_cast<int32_t>(second / 60 % 60),
          .second = static_cast<int32_t>(second % 60)};
}

Instant FromCivil(const Civil& civil) {
  return {DaysFromDate(civil.year, civil.month, civil.day) * kDaySeconds +
          int64_t{civil.hour} * 3600 + int64_t{civil.minute} * 60 + civil.second};
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
  // The offsets a day before and a day after bracket any single change.
  const Span before = OffsetAt(as_utc - Span{kDaySeconds});
  const Span after = OffsetAt(as_utc + Span{kDaySeconds});
  const Instant early = as_utc - before;
  if (OffsetAt(early) == before) return early;
  const Instant late = as_utc - after;
  return OffsetAt(late) == after ? late : early;
}

Instant Zone::FirstShowing(Instant local) const {
  // Stretches between changes that end this early end before `local` on any clock.
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
