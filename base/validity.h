// When something holds: always, until a date, from a date to another, or again and again at civil
// times of the site's zone (OpenCCS Sect. 3, Validity). A plain value and its pure expansion into
// instants; base/text/validity.h reads and writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/calendar.h"
#include "base/interval.h"
#include "base/time.h"

namespace muster {

// A point of the calendar as it was written. A date without a time is that whole day: as an end,
// the day belongs to what ends (OpenCCS Example 1: 01.08.17-31.08.17 is August).
struct CalendarPoint {
  Civil civil;
  bool whole_day = true;  // then its time of day is 00:00:00
  bool utc = false;       // else of the zone it is asked in; REQUIRES not whole_day
  auto operator<=>(const CalendarPoint&) const = default;
};

// Civil times at which something begins, by one set of numbers a field, each as bits. All fields
// must hold, the two of the day as well. Every set has a member, and some date has both a day and a
// month of it.
struct CronTimes {
  uint64_t minutes = 0;   // bits 0-59
  uint32_t hours = 0;     // bits 0-23
  uint32_t days = 0;      // bits 1-31, of the month
  uint32_t months = 0;    // bits 1-12
  uint32_t weekdays = 0;  // bits 0-6 from Sunday
  auto operator<=>(const CronTimes&) const = default;

  static constexpr uint64_t kAllMinutes = (uint64_t{1} << 60) - 1;
  static constexpr uint32_t kAllHours = (1u << 24) - 1;
  static constexpr uint32_t kAllDays = 0xFFFFFFFEu;
  static constexpr uint32_t kAllMonths = 0x1FFEu;
  static constexpr uint32_t kAllWeekdays = 0x7Fu;
};

struct Validity {
  enum class Kind : uint8_t { kAlways, kBetween, kCron };

  Kind kind = Kind::kAlways;
  std::optional<CalendarPoint> begin;  // of kBetween; none: since ever
  CalendarPoint end;                   // of kBetween, exclusive but for whole days; after begin
  CronTimes times;                     // of kCron
  Span length;                         // of each time of kCron, 1 s to kLongestOccurrence

  static constexpr Span kLongestOccurrence{366 * 86400};

  auto operator<=>(const Validity&) const = default;
};

// Some date has one of these days of the month in one of these months: not so for 31 February.
bool CanMatch(const CronTimes& times);

inline constexpr size_t kMostIntervals = 100000;  // of one expansion: bounds its memory

struct Expansion {
  IntervalSet intervals;   // within [from, until), overlapping and touching ones merged
  Instant complete_until;  // nothing is known from here on; `until`, or earlier by `limit`
};

// When it holds within [from, until), at most `limit` intervals, as clocks of `zone` go:
// an occurrence whose time a change of the zone leaves out begins at the change; one whose time is
// shown twice begins at the first, unless its hours are all 24, then at both; its length is what
// elapses, whatever clocks show. What began before `from` and lasts is in it.
//
// Takes time by days and intervals, not by minutes: about 10 ns a day and 10 ns an interval.
Expansion Intervals(const Validity& validity, const Zone& zone, Instant from, Instant until,
                    size_t limit = kMostIntervals);

// The last instant at which it may still hold, for "this is over"; kFarFuture if it has no end.
Instant EndOf(const Validity& validity, const Zone& zone);

}  // namespace muster
