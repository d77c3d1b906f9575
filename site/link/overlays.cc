// See overlays.h.
#include "site/link/overlays.h"

#include <algorithm>
#include <utility>

namespace muster::site {

Overlays::Run Overlays::Take(ProposalId of, PlanRevision now) {
  DropStale(now);
  const auto it =
      std::find_if(kept_.begin(), kept_.end(), [of](const Kept& kept) { return kept.of == of; });
  if (it == kept_.end()) return nullptr;
  Run run = std::move(it->run);
  kept_.erase(it);
  return run;
}

void Overlays::Keep(ProposalId of, PlanRevision now, Run run) {
  DropStale(now);
  if (kept_.size() == kOverlays) kept_.erase(kept_.begin());
  kept_.push_back({of, now, std::move(run)});
}

void Overlays::DropStale(PlanRevision now) {
  std::erase_if(kept_, [now](const Kept& kept) { return kept.plan != now; });
}

}  // namespace muster::site
