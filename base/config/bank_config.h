// [bank] of meta.toml: what work costs. scheduling.md section 14.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/validity.h"

namespace muster::config {

struct RateConfig {
  std::string resource;
  int64_t per_hour = 0;  // millionths of a credit, for each `unit` of it
  int64_t unit = 1;      // "mem/gb": 2^30
  bool operator==(const RateConfig&) const = default;
};
struct HoursConfig {
  Validity valid;
  int64_t times = 1000;  // thousandths of the rates
  bool operator==(const HoursConfig&) const = default;
};
struct BankConfig {
  std::vector<RateConfig> rates;
  std::vector<HoursConfig> hours;  // of several that hold at one time the first counts
  bool operator==(const BankConfig&) const = default;
};

}  // namespace muster::config
