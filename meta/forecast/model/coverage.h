// How sure the coverage of intervals is. Jobs that one user submits on one day come out alike, so
// what is drawn again are these groups, not jobs.
#pragma once

#include <cstddef>
#include <span>

namespace muster::forecast {

// Intervals of one voice (VoiceOf its user and day).
struct Covered {
  size_t intervals = 0;
  size_t held = 0;
};

struct Coverage {
  size_t voices = 0;
  double ratio = 0;
  // 5 % and 95 % quantile over up to kMostDraws draws of as many voices, with replacement; fewer of
  // very many voices, so that this takes some milliseconds.
  double low = 0;
  double high = 0;
  static constexpr size_t kMostDraws = 1000;
  static constexpr size_t kLeastDraws = 100;
  static constexpr size_t kDrawn = 1'000'000;  // voices in all draws together
};

// The same voices in the same order give the same figures.
Coverage CoverageOf(std::span<const Covered> voices);

}  // namespace muster::forecast
