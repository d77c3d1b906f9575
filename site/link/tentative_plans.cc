// See tentative_plans.h.
#include "site/link/tentative_plans.h"

#include <algorithm>
#include <utility>

namespace muster::site {

TentativePlans::Run TentativePlans::Take(ProposalId of, PlanRevision now) {
  DropStale(now);
  const auto it =
      std::find_if(kept_.begin(), kept_.end(), [of](const Kept& kept) { return kept.of == of; });
  if (it == kept_.end()) return nullptr;
  Run run = std::move(it->run);
  kept_.erase(it);
  return run;
}

void TentativePlans::Keep(ProposalId of, PlanRevision now, Run run) {
  DropStale(now);
  if (kept_.size() == kTentativePlans) kept_.erase(kept_.begin());
  kept_.push_back({of, now, std::move(run)});
}

void TentativePlans::DropStale(PlanRevision now) {
  std::erase_if(kept_, [now](const Kept& kept) { return kept.plan != now; });
}

}  // namespace muster::site
