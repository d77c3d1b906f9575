// Groups of alike values and what a mixture of speeds loses: the arithmetic of node sets. Maui
// Sect. IV (node sets), scheduling.md (node sets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/node_set.h"

namespace muster::plan {

// The first and the last value of a group, as places in the list of values.
struct ValueRange {
  size_t first = 0;
  size_t last = 0;
  bool operator==(const ValueRange&) const = default;
};

// The groups of these values, in ascending order: each value by itself; with a tolerance every
// maximal range whose greatest value is within it of the least. REQUIRES: ascending, distinct, > 0.
std::vector<ValueRange> GroupsOf(std::span<const int64_t> values,
                                 const std::optional<Tolerance>& tolerance);

// What is lost if these nodes get equal shares of the work, in millionths: all wait for the slowest
// one, 1 - n * least / sum. 0 without nodes. REQUIRES: speeds > 0, whose sum is below 2^40.
int64_t LossOf(std::span<const int64_t> speeds);

}  // namespace muster::plan
