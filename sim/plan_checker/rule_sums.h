// What bookings take together against the rules of a site: limits, FreePools, the federation's
// share, job-wide resources. OpenCCS Sect. 3 and 5.1.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/plan_checker/plan_checker.h"

namespace muster::sim {

using OrdersByName = std::map<std::string, BookedOrder>;

// What is wrong at `from` or later. Of limits only those that meet one of `users`.
std::vector<Violation> CheckRules(const PlanFacts& facts, const OrdersByName& orders,
                                  const std::set<std::string>& users, Instant from);

}  // namespace muster::sim
