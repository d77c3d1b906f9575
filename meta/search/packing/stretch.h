// Free amount of one resource over one level, as a short step function that is walked from end to
// end. It is searched thousands of times and booked in now and then.
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
    int64_t free = 0;  // negative if overbooked
  };
  // Steps are ascending; the last one lasts until `end`. REQUIRES: at least one step, all before
  // `end`.
  Stretch(std::vector<Step> steps, Instant end) : steps_(std::move(steps)), end_(end) {}

  // Books `amount` over the part of [begin, end) that lies in the stretch.
  void Take(Instant begin, Instant end, int64_t amount);

  // Earliest t >= from with `amount` free over [t, t + length), within the stretch.
  std::optional<Instant> EarliestFit(int64_t amount, Span length, Instant from) const;

  // The longest booking that still fits, by ascending amount. An entry also holds for smaller
  // amounts, as far as they exceed the amount of the previous entry. With `gaps` a booking may
  // begin anywhere, otherwise only at the begin of the stretch.
  struct Run {
    int64_t amount;
    Span longest;
  };
  std::vector<Run> Runs(bool gaps) const;

 private:
  // Index of the step that begins at t, splitting a step if needed; size() if t is at or after the
  // end.
  size_t Cut(Instant t);

  std::vector<Step> steps_;
  Instant end_;
};

}  // namespace muster::packing
