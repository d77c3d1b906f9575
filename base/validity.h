// When something is valid: always, until a date, between two dates, or recurring at civil times of
// the site's zone (OpenCCS Sect. 3, Validity). A plain value, and its expansion into instants.
// base/text/validity.h parses and prints it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/calendar.h"
#include "base/interval.h"
#include "base/time.h"

namespace muster {

// A point of the calendar as written. A date without a time means the whole day: as an end it is
// included (OpenCCS Example 1: 01.08.17-31.08.17 is August).
struct CalendarPoint {
  Civil civil;
  bool whole_day = true;  // if so, the time of day is 00:00:00
  bool utc = false;       // else in the zone of the query; REQUIRES not whole_day
  auto operator<=>(const CalendarPoint&) const = default;
};

// Civil times at which something begins. Each field is a bit set of numbers. All fields must match,
// also both day fields. No set is empty, and some date has one of the days in one of the months.
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
  std::optional<CalendarPoint> begin;  // of kBetween; none: no beginning
  CalendarPoint end;                   // of kBetween; exclusive unless a whole day; after begin
  CronTimes times;                     // of kCron
  Span length;  // duration of each occurrence of kCron, 1 s to kLongestOccurrence

  static constexpr Span kLongestOccurrence{366 * 86400};

  auto operator<=>(const Validity&) const = default;
};

// Whether any date has one of these days in one of these months: not so for 31 February.
bool CanMatch(const CronTimes& times);

inline constexpr size_t kMostIntervals = 100000;  // per expansion: bounds its memory

struct Expansion {
  IntervalSet intervals;   // within [from, until); overlapping and touching ones are merged
  Instant complete_until;  // `until`, or the begin of the first interval beyond `limit`
};

// The first `limit` intervals within [from, until) in which `validity` holds, with civil times in
// `zone`. An occurrence whose time a zone change skips begins at the change. One whose time appears
// twice begins at the first, or at both if the validity recurs in all 24 hours. The length of an
// occurrence is elapsed time. The result includes occurrences that began before `from` and still
// last.
//
// Cost: about 10 ns per day and 10 ns per interval.
Expansion Intervals(const Validity& validity, const Zone& zone, Instant from, Instant until,
                    size_t limit = kMostIntervals);

// The end of the validity, itself not included; kFarFuture if there is no end. Used to report that
// something is over.
Instant EndOf(const Validity& validity, const Zone& zone);

}  // namespace muster
