// Which units are busy over time, as rows of bits from one instant to the next: the busy set of a
// window is the OR of the rows it touches (scheduling.md section 8). It serves to look ahead;
// bookings are in the plan.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/machine/bits.h"

namespace muster::machine {

class Timetable {
 public:
  // At first no unit is busy.
  explicit Timetable(size_t unit_count);

  // Marks the units as busy in [begin, end).
  void Take(const Bits& units, Instant begin, Instant end);
  // Units busy at any time of [begin, end).
  Bits Busy(Instant begin, Instant end) const;
  // The first instant after `t` at which a busy unit becomes free; kFarFuture: none does.
  Instant NextRelease(Instant t) const;

 private:
  struct Row {  // holds until the next row
    Instant from;
    Bits busy;
  };
  size_t Split(Instant at);
  size_t Find(Instant t) const;

  std::vector<Row> rows_;  // ascending; the first is from the beginning of time
};

}  // namespace muster::machine
