// Watches the free space of a store's file system, so that a daemon refuses new work before the
// disk is full: RocksDB may abort the process on a full disk. protocol.md section 7.8.
#pragma once

#include <cstdint>
#include <optional>

#include "base/io/store.h"
#include "base/time.h"

namespace muster::io {

class DiskWatch {
 public:
  explicit DiskWatch(int64_t min_free_bytes) : min_free_bytes_(min_free_bytes) {}

  // Checks at most once per kEvery. Returns a value only when the state changes: true if less than
  // the reserve is free, or if the free space cannot be determined.
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
  // Short enough, since filling the reserve takes longer; and statvfs is cheap.
  static constexpr BootSpan kEvery = Seconds(2);

  int64_t min_free_bytes_;
  std::optional<BootInstant> looked_;
  bool low_ = false;
};

}  // namespace muster::io
