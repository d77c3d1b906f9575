// Amounts over time as steps in one block of memory: they are copied whenever somebody asks what
// would be if an attempt's booking were not there, and walked through for every such question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"

namespace muster::partitioner {

// Each step has `width` amounts and holds from its instant until the next one's; the last holds for
// ever. Steps ascend, no two begin at the same time.
class Steps {
 public:
  Steps() = default;
  // One step.
  Steps(Instant from, std::vector<int64_t> amounts);

  size_t size() const { return from_.size(); }
  Instant from(size_t step) const { return from_[step]; }
  std::span<const int64_t> at(size_t step) const {
    return {amounts_.data() + step * width_, width_};
  }

  // The first step that begins after `at`; size() if none does.
  size_t After(Instant at) const;

  // From `from` until the next step there are these amounts; REQUIRES: as many as a step has.
  void Set(Instant from, const std::vector<int64_t>& amounts);
  // Adds to each step within [begin, end), which get steps of their own where they lie in the
  // middle of one; before the first step there is nothing of anything. Equal neighbours at the two
  // edges become one.
  void Add(Instant begin, Instant end, const std::vector<int64_t>& amounts);
  // Forgets the first so many steps.
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
