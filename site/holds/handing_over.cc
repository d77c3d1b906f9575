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
  const std::vector<Fence> beside = plan().Beside(fence, index, now_floor(), start);
  // Work of others than muster's has its nodes from its batch system, whatever the plan says.
  return std::any_of(beside.begin(), beside.end(), [&](const Fence& one) {
    const schemas::HoldRecord* const other = ledger().Find(one);
    if (other == nullptr) return false;
    return Reserves(*other) ||
           std::any_of(other->parts.begin(), other->parts.end(), [&](const auto& part) {
             return WaitsToStart(part.state) &&
                    other->start + DemandOf(*other, part.index).offset < start;
           });
  });
}

}  // namespace muster::site
