// The largest value of a number with which something starts early enough, by bisection: a smaller
// one starts no later, so that what is found is the greatest of the values looked at. Where a site
// breaks that rule (how nodes lie), what is found starts early enough all the same.
// cli.md section 3 (explain).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"

namespace muster::site {

// Values that one search chooses among: the least, and 2^8 - 1 above it.
inline constexpr size_t kNumberValues = 256;
// Verdicts of one search for two answers: on the least value, and 8 for each answer.
inline constexpr size_t kNumberVerdicts = 17;

// `least` and the multiples above it and below `asked` of the first of `steps` (ascending) that
// makes them at most kNumberValues; beyond the last step, of its doubles. Empty if none is less
// than `asked`. REQUIRES: least > 0, steps > 0, not empty.
std::vector<int64_t> ValuesBelow(int64_t asked, int64_t least, std::span<const int64_t> steps);

class NumberSearch {
 public:
  // The start with a value; none if it never starts.
  using StartWith = std::function<std::optional<Instant>(int64_t value)>;
  struct Found {
    int64_t value = 0;
    Instant start;
  };

  // REQUIRES: values are ascending, at most kNumberValues.
  NumberSearch(std::vector<int64_t> values, StartWith start_with);

  // The largest value that starts at `latest` or before; none if not even the least does.
  std::optional<Found> Largest(Instant latest);
  size_t verdicts() const { return known_.size(); }

 private:
  std::optional<Instant> StartAt(size_t place);

  std::vector<int64_t> values_;
  StartWith start_with_;
  std::map<size_t, std::optional<Instant>> known_;  // by place in values_
};

}  // namespace muster::site
