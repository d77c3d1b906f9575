// When a rule holds, worked out as instants: the validity of a limit or pool over the stretch of
// time that plans look at (OpenCCS Sect. 3, Validity; ADR 37 on cronToRUSV).
#pragma once

#include "base/interval.h"
#include "base/validity.h"

namespace muster::rules {

// Instants of plan time that any vector can hold.
inline constexpr Interval kAllTime{Instant{-kFarFuture.seconds}, kFarFuture};

// The instants of `a` that are not in `b`.
IntervalSet Minus(const IntervalSet& a, const IntervalSet& b);

struct Times {
  IntervalSet valid;  // exact from `from` on, and before known_until
  bool always = false;
  // Beyond it a repeated validity is not worked out, and taken to hold: nothing is promised that a
  // rule could forbid. kFarFuture: all is known.
  Instant known_until = kFarFuture;
};

// Repeated validities are worked out within [from, until), all others for ever.
Times TimesOf(const Validity& validity, const Zone& zone, Instant from, Instant until);

}  // namespace muster::rules
