// Watches the free space below a store, so that new work is refused before the disk is full
// (pitfalls: RocksDB aborts on a full disk). Protocol.md section 7.8.
#pragma once

#include <cstdint>
#include <optional>

#include "base/io/store.h"
#include "base/time.h"

namespace muster::io {

class DiskWatch {
 public:
  explicit DiskWatch(int64_t min_free_bytes) : min_free_bytes_(min_free_bytes) {}

  // Looks at most every kEvery; a value when the state changed: true = less than the reserve is
  // free (or nobody can tell).
  std::optional<bool> Look(BootInstant now, Store& store) {
    if (looked_ && now - *looked_ < kEvery) return std::nullopt;
    looked_ = now;
    const absl::StatusOr<int64_t> free = store.FreeBytes();
    const bool low = !free.ok() || *free < min_free_bytes_;
    if (low == low_) return std::nullopt;
    low_ = low;
    return low;
  }

 private:
  static constexpr BootSpan kEvery =
      Seconds(2);  // statvfs is cheap; the reserve lasts longer than this

  int64_t min_free_bytes_;
  std::optional<BootInstant> looked_;
  bool low_ = false;
};

}  // namespace muster::io
