// Validities that repeat, as vectors: one period is worked out once and then moved to wherever it
// is asked for (OpenCCS Sect. 5.4, cronToRUSV).
#pragma once

#include <cstdint>

#include "base/time.h"
#include "site/rusv/rusv.h"

namespace muster::rusv {

// Periods of times that repeat in UTC. The last is that of the calendar itself: whatever depends on
// dates only repeats after 400 years.
inline constexpr Span kHour{3600};
inline constexpr Span kDay{86400};
inline constexpr Span kWeek{7 * 86400};
inline constexpr Span kCalendarPeriod{int64_t{146097} * 86400};

inline constexpr int64_t kMostRepetitions = int64_t{1} << 20;

// cronToRUSV(R1, I, T1, T2, P): a vector of the kind and avl of `pattern` with `items` wherever the
// pattern, repeated again and again, has a slot, inside [from, until); completely free elsewhere.
// `pattern` holds one period from 1970-01-01T00:00:00Z on. REQUIRES period > 0, all slots of the
// pattern in [0, period), and no more than kMostRepetitions of them in [from, until).
Rusv Transpose(const Rusv& pattern, int64_t items, Instant from, Instant until, Span period);

}  // namespace muster::rusv
