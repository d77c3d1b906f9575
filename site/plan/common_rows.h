// Rows that bound what nodes have free in many windows at once (node_rows.h): what a search passes
// to rule out all starts up to some later one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace muster::plan {

// The least or the most in a stretch or a block, of all places, counted without `more` if that is
// not null.
struct RowPiece {
  const std::vector<int16_t>* row = nullptr;
  const std::vector<int16_t>* more = nullptr;
  Instant at;
};

// Of all windows [t, t + length) with t from some instant on.
struct CommonRows {
  // Stretches and blocks that lie in all of them, each from `at` on, the latest first; it holds for
  // every t before that. The first `beyond` lie behind the block of that instant.
  std::vector<RowPiece> least;
  size_t beyond = 0;
  // The most where windows begin, for t before `at`: in the stretch of that instant, with all of
  // `least`, and in its block, with the first `beyond`.
  RowPiece stretch;
  RowPiece block;
};

}  // namespace muster::plan
