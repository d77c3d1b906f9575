// The contents of a reservation, from which NestedPlans makes its system (nested_plans.h).
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
  std::vector<std::string> allow;  // names of credentials
  std::vector<Node> nodes;  // in the site's order, with the amounts that the reservation holds
};

}  // namespace muster::site
