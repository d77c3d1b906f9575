// [[limit]] of meta.toml: limits over all sites. scheduling.md section 15.
#pragma once

#include <cstdint>
#include <string>

#include "base/validity.h"

namespace muster::config {

struct SpanningLimitConfig {
  std::string who;       // "kim", "@weather", "account chem", "*"
  std::string resource;  // "jobs" or the name of a resource
  int64_t items = 0;
  std::string on = "running";  // or "promised", "open"
  bool each = false;           // each user of `who` by itself
  Validity valid;              // of "running"
  bool operator==(const SpanningLimitConfig&) const = default;
};

}  // namespace muster::config
