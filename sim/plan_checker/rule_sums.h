// Checks the sums of all bookings against the site's rules: limits, FreePools, the federation's
// share, job-wide resources; and standing reservations. OpenCCS Sect. 3 and 5.1.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/plan_checker/plan_checker.h"

namespace muster::sim {

using OrdersByName = std::map<std::string, BookedOrder>;

// Violations at `from` or later. A limit of "*" is checked for `users` only.
std::vector<Violation> CheckRules(const PlanFacts& facts, const OrdersByName& orders,
                                  const std::set<std::string>& users, Instant from);

}  // namespace muster::sim
