// Earliest fit by a forward scan over edges, 64 at a time. One bit per edge says whether the level
// that begins there is good (low enough). Used by both representations of edges.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace muster::rusv {

struct FitScan {
  static constexpr int64_t kNone = INT64_MAX;

  int64_t length = 0;
  // Begin of the good stretch that the scan is in; kNone while the level is bad.
  int64_t begin = kNone;

  bool ReachedBy(int64_t t) const { return begin != kNone && t - begin >= length; }

  // Scans `count` more edges; bit i of `good` says whether edge i begins a good level. True once
  // the stretch at `begin` is known to be long enough. REQUIRES 0 < count <= 64 and no bits beyond.
  template <typename T>
  bool Go(const T* starts, size_t count, uint64_t good) {
    uint64_t bad = ~good & (~uint64_t{0} >> (64 - count));
    if (bad == 0) {
      if (begin == kNone) begin = starts[0];
      return false;
    }
    size_t at = static_cast<size_t>(std::countr_zero(bad));
    if (begin == kNone && at > 0) begin = starts[0];
    if (ReachedBy(starts[at])) return true;
    if (int64_t{starts[count - 1]} - starts[at] < length) {
      // No stretch between two bad edges is long enough. Only the stretch after the last bad edge
      // counts, since it may go on.
      const size_t next = static_cast<size_t>(64 - std::countl_zero(bad));
      begin = next < count ? starts[next] : kNone;
      return false;
    }
    return GoThrough(starts, good, bad, at);
  }

 private:
  // Checks the good stretches after the bad edge `at`, one after the other.
  template <typename T>
  bool GoThrough(const T* starts, uint64_t good, uint64_t bad, size_t at) {
    while (true) {
      const uint64_t rest = good & (~uint64_t{0} << at);
      if (rest == 0) {
        begin = kNone;
        return false;
      }
      const size_t rise = static_cast<size_t>(std::countr_zero(rest));
      begin = starts[rise];
      const uint64_t drops = bad & (~uint64_t{0} << rise);
      if (drops == 0) return false;
      at = static_cast<size_t>(std::countr_zero(drops));
      if (starts[at] - begin >= length) return true;
    }
  }
};

}  // namespace muster::rusv
