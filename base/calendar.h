// Civil dates and time zones as plain values. Cores compute local time with them without reading a
// clock or a zone database; their caller passes a Zone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace muster {

// Largest offset from UTC that Zone accepts; no real clock differs by more.
inline constexpr Span kMostOffset{26 * 3600};
inline constexpr int64_t kDaySeconds = 86400;
inline constexpr int64_t kMinuteSeconds = 60;

// A date and time of day without a zone, proleptic Gregorian.
struct Civil {
  int64_t year = 1970;
  int32_t month = 1;  // from 1
  int32_t day = 1;    // from 1
  int32_t hour = 0;
  int32_t minute = 0;
  int32_t second = 0;
  auto operator<=>(const Civil&) const = default;
};

// Conversion between an instant and its civil time at offset zero. Fields out of range carry over:
// day 32 becomes a day of the next month.
Civil ToCivil(Instant instant);
Instant FromCivil(const Civil& civil);

// A time zone: its offset from UTC over time.
class Zone {
 public:
  // From `from` on, local time is `offset` ahead of UTC.
  struct Change {
    Instant from;
    Span offset;
    bool operator==(const Change&) const = default;
  };
  // UTC.
  Zone() = default;
  // `first` is the offset before the first change; changes are ascending. REQUIRES offsets within
  // kMostOffset.
  Zone(Span first, std::vector<Change> changes);
  static Zone Fixed(Span offset) { return Zone(offset, {}); }

  Span OffsetAt(Instant instant) const;
  Civil Local(Instant instant) const { return ToCivil(instant + OffsetAt(instant)); }
  // The instant with this local time. If a change repeats an hour, the earlier of two. If a change
  // skips the time, the result is as long after the change as `civil` is after the start of the
  // gap.
  Instant FromLocal(const Civil& civil) const;
  // The first instant at which local time is `local` or later; `local` is FromCivil of that civil
  // time. If a change repeats an hour: the earlier of two. If a change skips the time: the instant
  // of the change.
  Instant FirstShowing(Instant local) const;
  // Offset changes, ascending.
  const std::vector<Change>& changes() const { return changes_; }

  bool operator==(const Zone&) const = default;

 private:
  Span first_;
  std::vector<Change> changes_;
};

}  // namespace muster
