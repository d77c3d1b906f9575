// Ranks the holds of a site by urgency and says which may displace which. All code that displaces
// holds asks this class. Whom the site moves earlier first its points say before (site_order.h).
#pragma once

#include <cstdint>

#include "schemas/hold.h"

namespace muster::site {

// Value type. Ranks by the priority of the order alone.
class SitePolicy {
 public:
  // The hold with the least rank goes first: it chooses its place before the others and is moved
  // after them. Holds of equal rank are ordered by fence.
  using Rank = int64_t;
  Rank RankOf(const schemas::HoldOrder& order) const { return -Rank{order.priority}; }
  // The hold with the least of these is moved earlier first: of those that are as urgent the ones
  // of the site's own users.
  Rank EarlierRankOf(const schemas::HoldOrder& order) const {
    return 2 * RankOf(order) - Rank{order.home};
  }

  // Whether `hold` may lose its place to `by`, a hold that lost its own place and must keep its
  // promise.
  bool MayDisplace(const schemas::HoldOrder& hold, const schemas::HoldOrder& by) const {
    return RankOf(by) < RankOf(hold);
  }
};

}  // namespace muster::site
