// Parts that are handed over before their second are so in the order of their starts. What a part
// gets early is its own from then on: nodes on which others are due before it, who wait until they
// are clean, would be kept from these until it ends. protocol.md section 3.3.
#include <algorithm>

#include "site/holds/hold_facts.h"
#include "site/holds/hold_progress.h"

namespace muster::site {

bool HoldProgress::Overtakes(const Fence& fence, uint32_t index) const {
  const schemas::HoldRecord& hold = *ledger().Find(fence);
  if (CanBeRecalled(hold) || plan().HasRoomFrom(fence, index, now_floor())) return false;
  const Instant start = hold.start + DemandOf(hold, index).offset;
  const auto is_due_before = [&](const Fence& one) {
    // Work of others than muster's has its nodes from its batch system, whatever the plan says.
    const schemas::HoldRecord* const other = ledger().Find(one);
    if (other == nullptr || other->state < schemas::HoldState::kCommitted) return false;
    if (hold.order.replaces == one || other->order.replaces == fence) return false;
    return std::any_of(other->parts.begin(), other->parts.end(), [&](const auto& waits) {
      return WaitsToStart(waits.state) &&
             other->start + DemandOf(*other, waits.index).offset < start;
    });
  };
  for (const Fence& one : plan().Beside(fence, index, now_floor(), start)) {
    if (is_due_before(one)) return true;
    const schemas::HoldRecord* const other = ledger().Find(one);
    if (other == nullptr || !Reserves(*other)) continue;
    const std::vector<Fence> inside = InsideOf(other->order.request);
    if (std::any_of(inside.begin(), inside.end(), is_due_before)) return true;
  }
  return false;
}

}  // namespace muster::site
