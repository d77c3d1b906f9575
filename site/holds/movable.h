// Which bound holds may start earlier: by the site alone (H17), or jointly with other sites
// (offers); to which the site may lend room; and whether resources were freed since offers were
// last looked for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "schemas/site_records.h"
#include "site/holds/backfilling.h"

namespace muster::site {

// Value type. Invariant: a hold is in at most one of singles() and joint().
class Movable {
 public:
  Movable(SitePolicy policy, bool rules, bool shaped)
      : singles_(policy, rules, shaped), lendable_(policy, rules, shaped) {}

  // Updates the sets after a change of the hold; null: it is gone. `points`: as in Backfilling.
  // `lent_for`: for how long its site may lend it room; none: it may not.
  void Index(const Fence& fence, const schemas::HoldRecord* hold, int64_t points,
             std::optional<Span> lent_for);

  // Holds of one site that are bound and have not started.
  Backfilling& singles() { return singles_; }
  const Backfilling& singles() const { return singles_; }
  // Holds of several sites that are COMMITTED and have not started.
  const std::set<Fence>& joint() const { return joint_; }

  // Holds to which room may be lent. Of the passes only *now* counts, which begins after that of
  // singles() is through.
  Backfilling& lendable() { return lendable_; }
  const Backfilling& lendable() const { return lendable_; }

  void SomethingIsFree(PlanRevision plan) {
    RoomMoved();
    singles_.Freed(plan);
    lendable_.LookNow();
  }
  // A hold has left its place for an earlier one. The running pass of backfilling goes on; only
  // offers are looked for again.
  void RoomMoved() {
    ++frees_;
    freed_ = true;
  }
  // How often resources were freed, or room moved. While it stays the same, no hold of several
  // sites can start at a time at which it could not.
  uint64_t frees() const { return frees_; }
  // Resources were freed since offers were last looked for.
  bool freed() const { return freed_; }
  bool TakeFreed() { return std::exchange(freed_, false); }

 private:
  Backfilling singles_;
  Backfilling lendable_;
  std::set<Fence> joint_;
  uint64_t frees_ = 0;
  bool freed_ = false;
};

}  // namespace muster::site
