// Civil dates by whole eras of 400 years, so that no loop depends on the year.
#include "base/text/calendar.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/check.h"

namespace muster::text {
namespace {

constexpr int64_t kDaySeconds = 86400;
constexpr int64_t kEraDays = 146097;

int64_t FloorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

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

// Digits of exactly this width at `at`, moved past them.
std::optional<int32_t> TakeDigits(std::string_view text, size_t& at, size_t width) {
  if (at + width > text.size()) return std::nullopt;
  int32_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    const char c = text[at + i];
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  at += width;
  return value;
}

bool Take(std::string_view text, size_t& at, char c) {
  if (at >= text.size() || text[at] != c) return false;
  ++at;
  return true;
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

std::string ToRfc3339(Instant instant) {
  const Civil c = ToCivil(instant);
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%04lld-%02d-%02dT%02d:%02d:%02dZ",
                static_cast<long long>(c.year), c.month, c.day, c.hour, c.minute, c.second);
  return buffer;
}

std::string ToRfc3339(Moment moment) {
  const Instant whole = moment.Floor();
  std::string text = ToRfc3339(whole);
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), ".%03dZ",
                static_cast<int>(moment.milliseconds - whole.seconds * 1000));
  text.replace(text.size() - 1, 1, buffer);
  return text;
}

std::optional<Moment> FromRfc3339(std::string_view text) {
  size_t at = 0;
  const auto year = TakeDigits(text, at, 4);
  if (!year || !Take(text, at, '-')) return std::nullopt;
  const auto month = TakeDigits(text, at, 2);
  if (!month || *month < 1 || *month > 12 || !Take(text, at, '-')) return std::nullopt;
  const auto day = TakeDigits(text, at, 2);
  if (!day || *day < 1 || *day > 31 || !Take(text, at, 'T')) return std::nullopt;
  const auto hour = TakeDigits(text, at, 2);
  if (!hour || *hour > 23 || !Take(text, at, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, at, 2);
  if (!minute || *minute > 59 || !Take(text, at, ':')) return std::nullopt;
  const auto second = TakeDigits(text, at, 2);
  if (!second || *second > 59) return std::nullopt;
  int64_t milliseconds = 0;
  if (Take(text, at, '.')) {
    const size_t begin = at;
    for (int64_t unit = 100; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      milliseconds += unit * (text[at] - '0');
      unit /= 10;
    }
    if (at == begin) return std::nullopt;
  }
  if (!Take(text, at, 'Z') || at != text.size()) return std::nullopt;
  const Civil civil{*year, *month, *day, *hour, *minute, *second};
  const Instant instant = FromCivil(civil);
  if (ToCivil(instant) != civil) return std::nullopt;  // 30 February
  return Moment{instant.seconds * 1000 + milliseconds};
}

}  // namespace muster::text
