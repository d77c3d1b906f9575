// Plans with the answers to tentative proposals still booked, for the proposal that continues one.
// The newest are kept while the site's plan is unchanged. protocol.md section 2 (propose),
// scheduling.md section 5 (verified forward run).
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
  // A copied site has its own plan, so it starts without tentative plans.
  TentativePlans(const TentativePlans&) {}
  TentativePlans& operator=(const TentativePlans&) { return kept_.clear(), *this; }

  // Removes and returns the plan of this proposal, to be continued; null: it is no longer kept.
  Run Take(ProposalId of, PlanRevision now);
  // Beyond kTentativePlans the oldest is dropped.
  void Keep(ProposalId of, PlanRevision now, Run run);
  // Drops those of other plan revisions: they only cost memory and slow down each change of the
  // plan.
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
