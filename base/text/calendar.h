// Instants as people write and read them: civil dates, a zone as a plain value, RFC 3339. Pure: the
// zone of this machine is read by whoever has a clock and passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace muster::text {

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
  };
  // UTC.
  Zone() = default;
  // `first` holds before the first change; changes ascending.
  Zone(Span first, std::vector<Change> changes);
  static Zone Fixed(Span offset) { return Zone(offset, {}); }

  Span OffsetAt(Instant instant) const;
  Civil Local(Instant instant) const { return ToCivil(instant + OffsetAt(instant)); }
  // The instant whose local time this is: the earlier one where a change repeats an hour, the
  // instant just as long after the change where one is left out.
  Instant FromLocal(const Civil& civil) const;

 private:
  Span first_;
  std::vector<Change> changes_;
};

// "2026-11-20T21:16:21Z", and with milliseconds "2026-11-20T21:16:21.004Z".
std::string ToRfc3339(Instant instant);
std::string ToRfc3339(Moment moment);
// Reads either, with any number of fractional digits (below a millisecond they are dropped). Only
// 'Z' zones.
std::optional<Moment> FromRfc3339(std::string_view text);

}  // namespace muster::text
