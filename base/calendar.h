// Civil dates and time zones as plain values, so that cores reckon with local time and read no
// clock and no zone database: whoever has those passes a Zone in.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace muster {

// No place's clocks are further from UTC than this; Zone refuses more.
inline constexpr Span kMostOffset{26 * 3600};
inline constexpr int64_t kDaySeconds = 86400;

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

// The civil time at offset zero, and back. Fields outside their range carry over: day 32 is the
// next month's.
Civil ToCivil(Instant instant);
Instant FromCivil(const Civil& civil);

// Offsets from UTC over time: what a place's clocks show.
class Zone {
 public:
  // From `from` on clocks are `offset` ahead of UTC.
  struct Change {
    Instant from;
    Span offset;
    bool operator==(const Change&) const = default;
  };
  // UTC.
  Zone() = default;
  // `first` holds before the first change; changes ascending. REQUIRES offsets within kMostOffset.
  Zone(Span first, std::vector<Change> changes);
  static Zone Fixed(Span offset) { return Zone(offset, {}); }

  Span OffsetAt(Instant instant) const;
  Civil Local(Instant instant) const { return ToCivil(instant + OffsetAt(instant)); }
  // The instant whose local time this is: the earlier one where a change repeats an hour, the
  // instant just as long after the change where one is left out.
  Instant FromLocal(const Civil& civil) const;
  // The first instant at which clocks show this time or a later one: the earlier one where a change
  // repeats an hour, the change itself where one is left out. `local` is FromCivil of the time.
  Instant FirstShowing(Instant local) const;
  // Ascending.
  const std::vector<Change>& changes() const { return changes_; }

  bool operator==(const Zone&) const = default;

 private:
  Span first_;
  std::vector<Change> changes_;
};

}  // namespace muster
