// See movable.h.
#include "site/holds/movable.h"

#include "site/holds/hold_facts.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::HoldState;

void Movable::Index(const Fence& fence, const HoldRecord* hold, int64_t points,
                    std::optional<Span> lent_for) {
  if (!lent_for) {
    lendable_.Leave(fence);
  } else if (lendable_.Enter(hold->order, points, lent_for)) {
    lendable_.LookNow();
  }
  const bool bound = hold != nullptr && !MayRun(*hold) && !hold->parts.empty() &&
                     (hold->state == HoldState::kCommitted || hold->state == HoldState::kPermitted);
  if (bound && OneMember(*hold)) {
    singles_.Enter(hold->order, points);
  } else {
    singles_.Leave(fence);
  }
  if (bound && !OneMember(*hold) && hold->state == HoldState::kCommitted) {
    joint_.insert(fence);
  } else {
    joint_.erase(fence);
  }
}

}  // namespace muster::site
