// Chooses among the groups in which a part could be: by what is wished for, when it starts, what is
// lost and what is left over. Maui Sect. IV (node sets), scheduling.md (node sets).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"

namespace muster::plan {

// One way to place an order, at its earliest start.
struct SetCandidate {
  Instant start;
  std::vector<uint32_t> wish;  // lower is wished for more: a named group first, a mixture last
  uint32_t level = 0;          // of nodes that no set restricts: the fastest first
  int64_t loss = 0;            // LossOf its nodes
  int64_t left_over = 0;       // nodes of the group with room at the start that it does not take
  std::vector<int64_t> value;  // of its groups; the greatest first
};

// Of the candidates that start at most `wait` after the earliest, the one most wished for; of
// these, by start, level, loss, what is left over and value, then the first. None if there is no
// candidate.
std::optional<size_t> ChooseSet(std::span<const SetCandidate> candidates, Span wait);

}  // namespace muster::plan
