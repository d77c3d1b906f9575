// What a part had, spread over the windows in which it had it. scheduling.md section 12.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/calendar.h"
#include "base/time.h"
#include "policy/shares.h"

namespace muster::policy {

// a * b for amounts >= 0, at most 2^56, so that sums over all parts do not overflow.
int64_t Product(int64_t a, int64_t b);

// Had evenly over this time, in the unit of the metric times milliseconds.
struct Had {
  Moment from;
  Moment to;
  int64_t amount = 0;
};
// The amount by begin of the window, newest first. It adds up to had.amount: what lies further back
// than windows count goes into one.
std::vector<std::pair<Instant, int64_t>> ByWindow(const FairshareRules& rules, const Zone& zone,
                                                  const Had& had);

}  // namespace muster::policy
