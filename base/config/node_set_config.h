// What [nodeset] of site.toml says. Maui Sect. IV (node sets).
#pragma once

#include <optional>

#include "base/node_set.h"

namespace muster::config {

// The node set of jobs that name none or, if `forced`, of all.
struct NodeSetConfig {
  std::optional<NodeSet> set;
  bool forced = false;
};

}  // namespace muster::config
