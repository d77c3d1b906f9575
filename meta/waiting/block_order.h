// The order in which requests leave with a block where shares count: each one who leaves counts as
// promised before the next is chosen. scheduling.md section 12.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "meta/waiting/rank.h"
#include "policy/progressive.h"

namespace muster::room {

// Value type. A request that it was not told of has no share and its points.
class BlockOrder {
 public:
  BlockOrder(policy::Progressive progressive, std::map<RequestId, policy::Entrant> entrants)
      : progressive_(std::move(progressive)), entrants_(std::move(entrants)) {}

  // The best `count` of `others`, all of one queue and by rank, if `first` leave before them.
  // REQUIRES: so many are there.
  std::vector<Rank> Choose(const std::vector<Rank>& first, const std::vector<Rank>& others,
                           size_t count) const;
  // The requests of a block in their order, queue by queue.
  std::vector<Rank> InOrder(std::vector<Rank> block) const;
  // A block has left: it counts for those that follow.
  void Leave(const std::vector<Rank>& block);

 private:
  policy::Entrant EntrantOf(const Rank& rank) const;
  std::vector<Rank> Take(policy::Progressive& progressive, const std::vector<Rank>& ranks,
                         size_t count) const;

  policy::Progressive progressive_;
  std::map<RequestId, policy::Entrant> entrants_;
};

}  // namespace muster::room
