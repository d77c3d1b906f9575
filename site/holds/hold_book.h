// What is held here, as it stands on record and in the plan: the one place where a part's state
// changes, and where a change is reported. protocol.md sections 3.1, 3.3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "site/holds/hold_news.h"
#include "site/holds/live.h"
#include "site/holds/movable.h"
#include "site/holds/policy.h"
#include "site/holds/timers.h"
#include "site/planning/planning.h"
#include "verifier/hold_table.h"
#include "verifier/ledger.h"
#include "verifier/part_table.h"

namespace muster::site {

// Invariants: a live hold has its booking in the plan and an entry in live(); a part that may have
// processes is in Nodes. Methods of a fence or part REQUIRE that it is on record.
class HoldBook : public Planning {
 public:
  // Of a ledger that has just been loaded. Errors are Ledger::Load's.
  HoldBook(Options told, verifier::Ledger ledger, Now now);

  const verifier::Ledger& ledger() const { return ledger_; }
  const std::map<Fence, Live>& live() const { return live_; }
  // In force: the meta's, or the defaults.
  const schemas::ProtocolValues& values() const;
  size_t ready_of_several() const { return ready_of_several_; }  // READY parts of n > 1
  bool IsDown(const std::string& node) const;                    // set down by the site itself
  // A cause of the site's own.
  schemas::Cause Own(schemas::CauseCode code, std::string node = {}) const;

  // Holds that are to be looked at in this turn.
  void Touch(const Fence& fence) { touched_.insert(fence); }
  void TouchAll();
  void TouchDue();  // what time makes due
  bool touched() const { return !touched_.empty(); }
  std::optional<Fence> TakeTouched();  // the least

  // Whether the meta listens: without it no permit can come.
  void SetLinked(bool linked) { linked_ = linked; }
  // What happened to holds of the site's own users since the last call, in order.
  std::vector<HoldNews> TakeNews() { return std::exchange(news_, {}); }
  void ReportHold(const Fence& fence);

 protected:
  verifier::Ledger& records() { return ledger_; }
  Live& Memory(const Fence& fence) { return live_[fence]; }
  Timers& timers() { return timers_; }
  const Timers& timers() const { return timers_; }
  Movable& movable() { return movable_; }
  const Movable& movable() const { return movable_; }
  bool linked() const { return linked_; }
  const SitePolicy& policy() const { return policy_; }

  verifier::HoldGuards GuardsOf(const schemas::HoldRecord& hold) const;
  void ArmDeadline(schemas::HoldRecord& hold) const;
  // Record, report, what is on the nodes, counters.
  void SetPart(const Fence& fence, uint32_t index, const verifier::PartStep& step, Moment at);
  // Changes of holds leave here: the meta's by the feed, others as news.
  void Report(const Fence& fence, decltype(schemas::Change::what) what);
  // A hold is CLOSED: nothing of it is remembered.
  void ForgetLive(const schemas::HoldRecord& hold);
  void TouchWaiting();
  void SomethingIsFree();  // earlier slots and offers may be had

  // What the plan has to hold of a hold now: parts that ended, that started late, that overran.
  verifier::Demand DemandNow(const schemas::HoldRecord& hold) const;
  void RestoreBooking(const schemas::HoldRecord& hold);
  void RestoreIn(SitePlanner& where, const schemas::HoldRecord& hold) const;
  // The holds on record as parts on nodes, ports and candidates: once, after a restart.
  void RebuildParts();

  bool TimedOut(const PartKey& part) const;
  // Bound, not started, and alone: of two of which at most one runs neither moves for another's
  // sake.
  bool MayMove(const Fence& fence) const;
  // Bound singles that the hold may displace, booked at any time of it, the least urgent first.
  std::vector<Fence> LessUrgent(const Fence& fence) const;
  // Its time may have come before its permit: until that is there nothing inside starts. True of
  // what is not inside of any.
  bool ReservationIsOpen(const schemas::HoldRecord& hold) const;

 private:
  verifier::Ledger ledger_;
  std::map<Fence, Live> live_;
  std::set<Fence> touched_;
  Timers timers_;
  SitePolicy policy_;
  Movable movable_;
  std::vector<HoldNews> news_;
  size_t ready_of_several_ = 0;
  bool linked_ = false;
};

}  // namespace muster::site
