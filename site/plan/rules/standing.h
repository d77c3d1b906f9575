// Standing reservations (OpenCCS Sect. 3, the maintenance of its FreePool examples): nodes set
// aside at times for some. Each is one more dimension of every node, what others may have of it,
// like kept items (keeps.h): whoever is not allowed asks for a little of it, and while the
// reservation is valid nothing is left. Those allowed plan there as ever.
#pragma once

#include <vector>

#include "site/plan/order.h"
#include "site/plan/rules/rule_set.h"

namespace muster::rules {

// What a node has of such a dimension: more than any part takes.
inline constexpr int64_t kUnreserved = int64_t{1} << 40;

// Its name among resources, which no file can write and nobody is shown (IsOfOthers).
std::string DimensionOf(const Standing& standing);

bool MayUse(const Standing& standing, const plan::Consumer& who);

// What a node has, with these dimensions.
ResourceSet WithUnreserved(const RuleSet& rules, const ResourceSet& has);
// Asks for a little of every reservation that the order's consumer may not use.
void TakeUnreserved(const RuleSet& rules, plan::Order& order);

}  // namespace muster::rules
