// Later looks see a part of what the first one saw: time goes on, and room only shrinks.
#include "meta/search/fruitless_look.h"

#include <algorithm>

namespace muster::meta {

bool FruitlessLook::StillHolds(const Fence& at, const std::vector<SiteRoom>& rooms_now,
                               const Interval& now,
                               const std::map<std::string, IntervalSet>& offers) const {
  if (at != place || now.begin < within.begin || now.end > within.end) return false;
  if (rooms_now != rooms) return false;
  return std::all_of(offers.begin(), offers.end(), [&](const auto& offer) {
    const IntervalSet offered = offer.second.Intersect(IntervalSet({now}));
    const auto known = seen.find(offer.first);
    return offered.empty() || (known != seen.end() && offered.Intersect(known->second) == offered);
  });
}

}  // namespace muster::meta
