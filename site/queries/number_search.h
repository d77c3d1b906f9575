// Finds by bisection the largest value of a number with which something starts early enough. It
// assumes that a smaller value starts no later. Where a site breaks that (fragmentation), the value
// found need not be the largest but still starts early enough. cli.md section 3 (explain).
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

// Values that one search chooses among: the least and up to 2^8 - 1 above it.
inline constexpr size_t kNumberValues = 256;
// Verdicts that one search for two answers needs at most: one for the least value and 8 per answer.
inline constexpr size_t kNumberVerdicts = 17;

// `least`, and all multiples of a step that are above it and below `asked`. The step is the first
// of `steps` (ascending) that gives at most kNumberValues values; if none does, the last one
// doubled as often as needed. Empty if asked <= least. REQUIRES: least > 0, steps > 0, not empty.
std::vector<int64_t> ValuesBelow(int64_t asked, int64_t least, std::span<const int64_t> steps);

class NumberSearch {
 public:
  // The start with this value; none: it never starts.
  using StartWith = std::function<std::optional<Instant>(int64_t value)>;
  struct Found {
    int64_t value = 0;
    Instant start;
  };

  // REQUIRES: values are ascending, at most kNumberValues.
  NumberSearch(std::vector<int64_t> values, StartWith start_with);

  // The largest value that starts at `latest` or before; none if even the least does not.
  std::optional<Found> Largest(Instant latest);
  size_t verdicts() const { return known_.size(); }

 private:
  std::optional<Instant> StartAt(size_t place);

  std::vector<int64_t> values_;
  StartWith start_with_;
  std::map<size_t, std::optional<Instant>> known_;  // by place in values_
};

}  // namespace muster::site
