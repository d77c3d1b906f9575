// Books an order at its earliest start (OpenCCS Sect. 5.1).
#include <utility>

#include "base/check.h"
#include "site/plan/apart.h"
#include "site/plan/mapper.h"
#include "site/plan/plan.h"

namespace muster::plan {

Answer Plan::Book(const Fence& fence, Order order, const IntervalSet& allowed, Instant now,
                  std::optional<Fence> beside, size_t intervals) {
  MUSTER_CHECK(!Has(fence));
  if (beside.has_value() && !Has(*beside)) beside.reset();
  Ruling ruling;
  Answer answer;
  if (beside.has_value()) {
    Occupancy without = occupancy_;
    Put(without, MembersOf(*beside), false);
    const Apart apart(*this, order, allowed, without);
    ruling = rules_->On(order, without.accounts(), now);
    answer = PlanOn(without, order, ruling, allowed, now, intervals);
    if (auto* placed = std::get_if<Placed>(&answer)) {
      ArrangeAsVerified(without, order, ruling, *placed);
    }
  } else {
    const Apart apart(*this, order, allowed, occupancy_);
    ruling = rules_->On(order, occupancy_.accounts(), now);
    answer = PlanOn(occupancy_, order, ruling, allowed, now, intervals);
    if (auto* placed = std::get_if<Placed>(&answer)) {
      ArrangeAsVerified(occupancy_, order, ruling, *placed);
    }
  }
  if (const auto* placed = std::get_if<Placed>(&answer)) {
    auto uses = UsesOf(order, placed->mapping, occupancy_);
    Insert(fence,
           MakeBooking(std::move(order), ruling, placed->start, std::move(uses), placed->chosen),
           beside);
  }
  return answer;
}

}  // namespace muster::plan
