// Standing reservations (OpenCCS Sect. 3, the maintenance of its FreePool examples): nodes set
// aside at times for some. Each is one more dimension of every node, what others may have of it,
// like kept items (keeps.h): whoever is not allowed asks for a little of it, and while the
// reservation is valid nothing is left. Those allowed plan there as ever.
#pragma once

#include <vector>

#include "base/interval.h"
#include "site/plan/order.h"
#include "site/plan/rules/rule_set.h"

namespace muster::rules {

// What a node has of such a dimension: more than any part takes.
inline constexpr int64_t kUnreserved = int64_t{1} << 40;

// Its name among resources, which no file can write and nobody is shown (IsOfOthers).
std::string DimensionOf(const Standing& standing);

// To people: "reservation gpu-maintenance", "valid Mon-Fri 08-18 only".
std::string ShownAs(const Standing& standing);

bool MayUse(const Standing& standing, const plan::Consumer& who);

// When its nodes are set aside, from now on: all intervals that begin before `until`, each to its
// end, in order. What never ends does so in a century; `endless` says so.
struct Aside {
  Interval when;
  bool endless = false;
};
std::vector<Aside> SetAside(const Standing& standing, const Zone& zone, Instant now, Instant until);

// What a node has, with these dimensions.
ResourceSet WithUnreserved(const RuleSet& rules, const ResourceSet& has);
// Asks for a little of every reservation that the order's consumer may not use.
void TakeUnreserved(const RuleSet& rules, plan::Order& order);

}  // namespace muster::rules
