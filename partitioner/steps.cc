// See steps.h.
#include "partitioner/steps.h"

#include <algorithm>
#include <utility>

namespace muster::partitioner {

Steps::Steps(Instant from, std::vector<int64_t> amounts)
    : width_(amounts.size()), from_{from}, amounts_(std::move(amounts)) {}

size_t Steps::After(Instant at) const {
  return static_cast<size_t>(std::upper_bound(from_.begin(), from_.end(), at) - from_.begin());
}

// Inserts a step at index `step` with the amounts of the step before it.
size_t Steps::Insert(size_t step, Instant from) {
  const auto offset = static_cast<std::ptrdiff_t>(step);
  const auto row = static_cast<std::ptrdiff_t>(step * width_);
  from_.insert(from_.begin() + offset, from);
  amounts_.insert(amounts_.begin() + row, width_, 0);
  if (step > 0)
    std::copy_n(amounts_.begin() + row - static_cast<std::ptrdiff_t>(width_), width_,
                amounts_.begin() + row);
  return step;
}

size_t Steps::Split(Instant at) {
  const size_t after = After(at);
  if (after > 0 && from_[after - 1] == at) return after - 1;
  return Insert(after, at);
}

void Steps::Set(Instant from, const std::vector<int64_t>& amounts) {
  const size_t step = Split(from);
  std::copy(amounts.begin(), amounts.end(),
            amounts_.begin() + static_cast<std::ptrdiff_t>(step * width_));
}

void Steps::Add(Instant begin, Instant end, const std::vector<int64_t>& amounts) {
  if (begin >= end) return;
  const size_t first = Split(begin);
  const size_t last = Split(end);
  for (size_t step = first; step < last; ++step) {
    for (size_t i = 0; i < width_; ++i) amounts_[step * width_ + i] += amounts[i];
  }
  Join(end);
  Join(begin);
}

void Steps::Join(Instant edge) {
  const size_t step = After(edge) - 1;
  if (step == 0) return;
  const auto row = amounts_.begin() + static_cast<std::ptrdiff_t>(step * width_);
  const auto width = static_cast<std::ptrdiff_t>(width_);
  if (!std::equal(row - width, row, row)) return;
  from_.erase(from_.begin() + static_cast<std::ptrdiff_t>(step));
  amounts_.erase(row, row + width);
}

void Steps::Forget(size_t steps) {
  from_.erase(from_.begin(), from_.begin() + static_cast<std::ptrdiff_t>(steps));
  amounts_.erase(amounts_.begin(), amounts_.begin() + static_cast<std::ptrdiff_t>(steps * width_));
}

}  // namespace muster::partitioner
