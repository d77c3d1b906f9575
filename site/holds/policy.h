// Whose hold goes before whose at this site, and who may take another's place: all that orders
// holds or displaces one asks here.
#pragma once

#include <cstdint>

#include "schemas/hold.h"

namespace muster::site {

// Value type. By the priority of the order alone.
class SitePolicy {
 public:
  // The least goes first: it chooses its place before the others and is moved after them. Equals go
  // by their fences.
  using Rank = int64_t;
  Rank RankOf(const schemas::HoldOrder& order) const { return -Rank{order.priority}; }

  // A booked hold may lose its place to another one that lost its own, so that this one's promise
  // is kept.
  bool MayDisplace(const schemas::HoldOrder& hold, const schemas::HoldOrder& by) const {
    return RankOf(by) < RankOf(hold);
  }
};

}  // namespace muster::site
