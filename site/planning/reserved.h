// What a reservation holds: its system is opened with that (nested_plans.h).
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/interval.h"
#include "site/options.h"

namespace muster::site {

// A reservation as it is booked.
struct Reserved {
  RequestId id;
  Fence fence;
  Interval span;
  std::string owner;
  std::vector<std::string> allow;  // users, "@group"
  std::vector<Node> nodes;         // in the site's order, with what it holds of each
};

}  // namespace muster::site
