// Checks a single booking by itself: where its chunk sets are and what they have. OpenCCS Sect. 3
// (chunks, placement) and 5.4.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/plan_checker/plan_checker.h"

namespace muster::sim {

using NodesByName = std::map<std::string, const NodeFacts*>;

// The violations of one order. `above` is PlanFacts::above.
std::vector<Violation> CheckOneOrder(const BookedOrder& order, const NodesByName& nodes,
                                     const std::map<std::string, std::string>& above);

// True if `allow` names the user, "@" and one of the groups, or "account", "qos" or "queue" and
// what the order has of it.
bool Allows(const std::vector<std::string>& allow, const BookedOrder& order);

}  // namespace muster::sim
