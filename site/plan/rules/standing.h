// Standing reservations (OpenCCS Sect. 3, the maintenance of its FreePool examples): nodes set
// aside at times for some users. Each reservation is one more dimension of every node, like kept
// items (keeps.h). Orders that may not use the reservation ask for a little of it, and while the
// reservation is valid nothing of it is left. Orders that may use it do not ask for it.
#pragma once

#include <vector>

#include "base/interval.h"
#include "site/plan/order.h"
#include "site/plan/rules/rule_set.h"

namespace muster::rules {

// The amount that a node has of a reservation's dimension: more than all parts together take.
inline constexpr int64_t kUnreserved = int64_t{1} << 40;

// Resource name of the reservation's dimension. No configuration file can contain it, and no view
// shows it (IsOfOthers).
std::string DimensionOf(const Standing& standing);

// The reservation as text for people: "reservation gpu-maintenance", "valid Mon-Fri 08-18 only".
std::string ShownAs(const Standing& standing);

bool MayUse(const Standing& standing, const plan::Order& order);

// When the reservation's nodes are set aside from `now` on: all intervals that begin before
// `until`, uncut, in order. An interval without an end is given one after a century, and is marked
// `endless`.
struct Aside {
  Interval when;
  bool endless = false;
};
std::vector<Aside> SetAside(const Standing& standing, const Zone& zone, Instant now, Instant until);

// Returns `has`, a node's resources, with the dimensions of all standing reservations.
ResourceSet WithUnreserved(const RuleSet& rules, const ResourceSet& has);
// Makes every chunk ask for a little of every reservation that the order's consumer may not use.
void TakeUnreserved(const RuleSet& rules, plan::Order& order);

}  // namespace muster::rules
