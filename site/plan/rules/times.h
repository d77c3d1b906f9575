// When a rule is valid, expanded to intervals: the validity of a limit or pool over the time that
// plans look at (OpenCCS Sect. 3, Validity; ADR 37 on cronToRUSV).
#pragma once

#include "base/interval.h"
#include "base/validity.h"

namespace muster::rules {

// Instants of plan time that any vector can hold.
inline constexpr Interval kAllTime{Instant{-kFarFuture.seconds}, kFarFuture};

// The instants of `a` that are not in `b`.
IntervalSet Minus(const IntervalSet& a, const IntervalSet& b);

struct Times {
  IntervalSet valid;  // exact between the `from` of TimesOf and known_until
  bool always = false;
  // From then on a repeated validity is not expanded but counts as valid, so that nothing is
  // promised that a rule could forbid. kFarFuture: all is known.
  Instant known_until = kFarFuture;
};

// Expands repeated validities within [from, until), and all others for ever.
Times TimesOf(const Validity& validity, const Zone& zone, Instant from, Instant until);

}  // namespace muster::rules
