// Which units are busy over time, as rows of bits from one instant to the next: the busy set of a
// window is the OR of the rows it touches (scheduling.md section 8). For looking ahead; what is
// booked is the plan's business.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "site/machine/bits.h"

namespace muster::machine {

class Timetable {
 public:
  // Nothing is busy.
  explicit Timetable(size_t unit_count);

  // Busy in [begin, end) from now on, whatever they were.
  void Take(const Bits& units, Instant begin, Instant end);
  // Units busy at any time of [begin, end).
  Bits Busy(Instant begin, Instant end) const;
  // The first instant after `t` at which a busy unit becomes free; kFarFuture: none does.
  Instant NextRelease(Instant t) const;

 private:
  struct Row {  // up to the next one
    Instant from;
    Bits busy;
  };
  size_t Split(Instant at);
  size_t Find(Instant t) const;

  std::vector<Row> rows_;  // ascending; the first is from the beginning of time
};

}  // namespace muster::machine
