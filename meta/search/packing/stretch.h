// What is free of one resource over one level: a flat step function, short enough to be walked from
// end to end. Levels search and measure it thousands of times, and book in it now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace muster::packing {

class Stretch {
 public:
  struct Step {
    Instant from;
    int64_t free = 0;  // below 0 where more is booked than there is
  };
  // Steps in ascending order, the last until `end`. REQUIRES at least one, and before `end`.
  Stretch(std::vector<Step> steps, Instant end) : steps_(std::move(steps)), end_(end) {}

  // Books `amount` in [begin, end), as far as that lies in the stretch.
  void Take(Instant begin, Instant end, int64_t amount);

  // Earliest t >= from with `amount` free over [t, t + length), all of that in the stretch.
  std::optional<Instant> EarliestFit(int64_t amount, Span length, Instant from) const;

  // How long bookings may still be: by amount, ascending, the longest of that amount and of all
  // above the one before. With `gaps` they may begin anywhere, else at the beginning.
  struct Run {
    int64_t amount;
    Span longest;
  };
  std::vector<Run> Runs(bool gaps) const;

 private:
  // Index of the step that begins at t, which is made if there is none; size() at the end or later.
  size_t Cut(Instant t);

  std::vector<Step> steps_;
  Instant end_;
};

}  // namespace muster::packing
