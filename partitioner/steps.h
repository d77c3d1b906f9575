// Amounts over time as a step function. They are kept in contiguous memory because they are copied
// and walked through each time a question ignores the booking of some attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"

namespace muster::partitioner {

// Each step has `width` amounts and holds until the next step begins; the last holds for ever.
// Steps ascend, with distinct begins.
class Steps {
 public:
  Steps() = default;
  // A single step.
  Steps(Instant from, std::vector<int64_t> amounts);

  size_t size() const { return from_.size(); }
  Instant from(size_t step) const { return from_[step]; }
  std::span<const int64_t> at(size_t step) const {
    return {amounts_.data() + step * width_, width_};
  }

  // Index of the first step that begins after `at`; size() if there is none.
  size_t After(Instant at) const;

  // Sets the amounts from `from` to the next step. REQUIRES: as many amounts as a step has.
  void Set(Instant from, const std::vector<int64_t>& amounts);
  // Adds `amounts` within [begin, end), splitting steps at both ends if needed. All amounts before
  // the first step are zero. Merges equal neighbours at the two ends.
  void Add(Instant begin, Instant end, const std::vector<int64_t>& amounts);
  // Removes the first `steps` steps.
  void Forget(size_t steps);

 private:
  size_t Split(Instant at);
  void Join(Instant edge);
  size_t Insert(size_t step, Instant from);

  size_t width_ = 0;
  std::vector<Instant> from_;
  std::vector<int64_t> amounts_;  // step by step
};

}  // namespace muster::partitioner
