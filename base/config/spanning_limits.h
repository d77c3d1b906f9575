// Reads [[limit]] of meta.toml.
#pragma once

#include <vector>

#include "base/config/document.h"
#include "base/config/named.h"
#include "base/config/spanning_limit_config.h"

namespace muster::config {

std::vector<SpanningLimitConfig> ReadSpanningLimits(Section& root, const Named& named);

}  // namespace muster::config
