// Rows that bound what nodes have free in many windows at once (node_rows.h). A search passes over
// them to rule out all starts up to some later one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace muster::plan {

// One row of minima or maxima of a stretch or block, by place. `more`, if not null, must be added
// to `row`.
struct RowPiece {
  const std::vector<int16_t>* row = nullptr;
  const std::vector<int16_t>* more = nullptr;
  Instant at;
};

// Bounds for the windows [t, t + length) with t >= `begin`, where `begin` and `length` are the
// arguments of NodeRows::FindCommon.
struct CommonRows {
  // Minima of stretches and blocks that lie in every such window with t <= `at`, latest first; `at`
  // is where the piece begins. The first `beyond` pieces lie after the block that contains `begin`.
  std::vector<RowPiece> least;
  size_t beyond = 0;
  // Maxima of the stretch and of the block that contain `begin`: bounds where windows begin, for t
  // < `at`, which is the end of the piece. `stretch` applies together with all of `least`, `block`
  // with its first `beyond` pieces.
  RowPiece stretch;
  RowPiece block;
};

}  // namespace muster::plan
