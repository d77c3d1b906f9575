// A number of items: absolute, as a share of what is in service, or the larger of both (OpenCCS
// Sect. 3: "30/45%"). Limits use it, and pools for what they keep free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace muster {

struct Quota {
  std::optional<int64_t> items;  // >= 0; sizes in bytes
  std::optional<int> percent;    // 0 to 100
  bool operator==(const Quota&) const = default;

  bool unlimited() const { return !items && !percent; }
  // Number of items if `in_service` exist, rounded down. REQUIRES not unlimited, 0 <= in_service <
  // 2^62.
  int64_t Of(int64_t in_service) const {
    const int64_t hundredths = in_service % 100 * percent.value_or(0) / 100;
    return std::max(items.value_or(0), in_service / 100 * percent.value_or(0) + hundredths);
  }
};

}  // namespace muster
