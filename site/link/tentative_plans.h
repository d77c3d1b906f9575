// TentativePlans of tentative proposals: what was answered stays booked there, for the proposal
// that continues it. The newest ones are kept while the plan is as it was. protocol.md section 2
// (propose), scheduling.md section 5 (verified forward run).
#pragma once

#include <memory>
#include <vector>

#include "base/ids.h"
#include "site/planning/planner.h"

namespace muster::site {

inline constexpr size_t kTentativePlans = 2;  // per meta

class TentativePlans {
 public:
  using Run = std::shared_ptr<SitePlanner::Run>;

  TentativePlans() = default;
  // A copy of a site has a plan of its own, on which nobody has continued anything.
  TentativePlans(const TentativePlans&) {}
  TentativePlans& operator=(const TentativePlans&) { return kept_.clear(), *this; }

  // That of this proposal, taken out, as it is continued; null: it is not there any more.
  Run Take(ProposalId of, PlanRevision now);
  // Beyond kTentativePlans the oldest goes.
  void Keep(ProposalId of, PlanRevision now, Run run);
  // Those of other plans than this hold memory for nothing, and slow down each change of the plan.
  void DropStale(PlanRevision now);
  size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    ProposalId of;
    PlanRevision plan;
    Run run;
  };
  std::vector<Kept> kept_;  // oldest first
};

}  // namespace muster::site
