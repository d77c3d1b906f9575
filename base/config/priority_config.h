// [priority] of meta.toml or site.toml: what makes points of the factors of a request.
// scheduling.md section 11.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/time.h"

namespace muster::config {

inline constexpr int64_t kMostPoints = 1000;  // that a credential gives

struct PriorityConfig {
  Span tick{60};
  std::map<std::string, int64_t> weights;  // by name of the factor; -10⁶ to 10⁶
  Span queue_full{86'400};
  int64_t x_full = 10;
  // "kim", "@weather", "queue debug"; -1000 to 1000.
  std::map<std::string, int64_t> points;
  bool operator==(const PriorityConfig&) const = default;
};

}  // namespace muster::config
