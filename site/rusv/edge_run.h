// A sorted run of edges in two arrays, and how a range add changes it: at most one edge appears or
// disappears at each end of the range, and all levels between rise or fall alike. The six overlap
// cases of OpenCCS Fig. 3 all reduce to that. A run is a whole small vector or one leaf of a large
// one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "site/rusv/lanes.h"

namespace muster::rusv {

// Prefetches the cache lines that a search in a run may touch: all at once, not one after the other
// as the bisection reaches them.
template <typename T>
void PrefetchRun(const T* starts, size_t size) {
  constexpr size_t kOfALine = 64 / sizeof(T);
  for (size_t i = 0; i < std::min(size, 16 * kOfALine); i += kOfALine) {
    __builtin_prefetch(starts + i);
  }
}

// Number of edges of [starts, starts + size) at or before t. REQUIRES: times ascend; t within
// kExtreme if it has 64 bits.
template <typename T>
size_t UpTo(const T* starts, size_t size, T t) {
  if (size < 16) {
    size_t count = 0;
    for (size_t i = 0; i < size; ++i) count += starts[i] <= t ? 1 : 0;
    return count;
  }
  PrefetchRun(starts, size);
  // Bisects without branches, which would be unpredictable here. Then compares sixteen values at
  // once.
  const T* base = starts;
  size_t left = size;
  while (left > 16) {
    const size_t half = left / 2;
    base += half & (size_t{0} - static_cast<size_t>(base[half - 1] <= t));
    left -= half;
  }
  base = std::min(base, starts + size - 16);
  return static_cast<size_t>(base - starts) + SixteenUpTo(base, t);
}

// The effect on a run of adding `by` everywhere in [begin, end). Computed before it is applied,
// since the run may need room. Resulting levels may be negative: the caller of Apply handles that.
struct RangeEdit {
  static constexpr int64_t kOpenBegin = INT64_MIN;  // the range began in an earlier run
  static constexpr int64_t kOpenEnd = INT64_MAX;    // the range ends in a later run, or never

  // Computes the edit for a run of 32-bit or 64-bit edges. `prior`: the level before its first
  // edge.
  template <typename T>
  static RangeEdit Find(const T* starts, const T* levels, size_t size, int64_t begin, int64_t end,
                        int64_t by, int64_t prior);

  size_t NewSize(size_t size) const { return size + has_begin - had_begin + has_end - had_end; }
  // Applies the edit. Returns what AddTo (lanes.h) says of the changed levels: negative if any
  // became so. REQUIRES: room for NewSize.
  template <typename T>
  int64_t Apply(T* starts, T* levels, size_t size) const;

  // Edges strictly inside the range: [first, last) before, [moved, moved + last - first) after.
  size_t first = 0;
  size_t last = 0;
  size_t moved() const { return first - had_begin + has_begin; }
  // Whether each end of the range had an edge before the edit, and has one after it.
  bool had_begin = false;
  bool has_begin = false;
  bool had_end = false;
  bool has_end = false;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t begin_level = 0;  // levels after the edit
  int64_t end_level = 0;
  int64_t by = 0;
};

}  // namespace muster::rusv
