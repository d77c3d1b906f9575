// Which bound holds may start earlier: by the site alone (H17), or jointly with other sites
// (offers); and whether something was given back since anybody looked.
#pragma once

#include <set>
#include <utility>

#include "base/ids.h"
#include "schemas/site_records.h"
#include "site/holds/backfilling.h"

namespace muster::site {

// Value type. Invariant: a hold is in one of the two at most.
class Movable {
 public:
  Movable(SitePolicy policy, bool rules, bool shaped) : singles_(policy, rules, shaped) {}

  // A hold is as it is now; null: it is gone.
  void Index(const Fence& fence, const schemas::HoldRecord* hold);

  // Bound, of one member, not started.
  Backfilling& singles() { return singles_; }
  const Backfilling& singles() const { return singles_; }
  // COMMITTED, of several members, not started.
  const std::set<Fence>& joint() const { return joint_; }

  void SomethingIsFree(PlanRevision plan) {
    freed_ = true;
    singles_.Freed(plan);
  }
  // Something was given back for which no offer was looked for yet.
  bool freed() const { return freed_; }
  bool TakeFreed() { return std::exchange(freed_, false); }

 private:
  Backfilling singles_;
  std::set<Fence> joint_;
  bool freed_ = false;
};

}  // namespace muster::site
