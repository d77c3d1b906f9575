// For how long room that is lent is booked: as far as it cannot be taken back.
// scheduling.md section 18.
#pragma once

#include <algorithm>

#include "base/time.h"
#include "schemas/contract.h"

namespace muster::site {

// Least time between two looks at what is lent.
inline constexpr Span kLoanLook{5};

// How long nodes that are lent under this contract cannot be had: grace, turnover and one look.
inline Span TakenBackIn(const schemas::Contract& contract, Span turnover) {
  return contract.grace + turnover + kLoanLook;
}

// For how long they are booked when they are lent.
inline Span BookedFirst(const schemas::Contract& contract, Span turnover) {
  return std::max(contract.min_run + turnover + Span{1}, TakenBackIn(contract, turnover));
}

// A driver may start lent work up to this long after it was told to.
inline constexpr Span kLentStartWait{30};

// For how long it may be there if nobody takes them back, from when they are lent for `duration`.
inline Span MayStay(Span duration) { return duration + kLentStartWait; }

}  // namespace muster::site
