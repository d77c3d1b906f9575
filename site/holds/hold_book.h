// The holds of this site, on record and in the plan: the one place where a part's state changes and
// changes are reported. protocol.md sections 3.1, 3.3.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "site/holds/dating.h"
#include "site/holds/hold_news.h"
#include "site/holds/live.h"
#include "site/holds/movable.h"
#include "site/holds/policy.h"
#include "site/holds/timers.h"
#include "site/planning/lent_room.h"
#include "site/planning/outside_work.h"
#include "site/policy/site_order.h"
#include "site/policy/site_shares.h"
#include "verifier/hold_table.h"
#include "verifier/ledger.h"
#include "verifier/part_table.h"

namespace muster::site {

// Invariants: a live hold has its booking in the plan and an entry in live(); a part that may have
// processes is in Nodes. Methods that take a fence or part REQUIRE that it is on record.
class HoldBook : public OutsideWork {
 public:
  // REQUIRES: `ledger` has just been loaded.
  HoldBook(Options told, verifier::Ledger ledger, Now now);

  const verifier::Ledger& ledger() const { return ledger_; }
  const std::map<Fence, Live>& live() const { return live_; }
  // Protocol values in force: those of the meta, or the defaults.
  const schemas::ProtocolValues& values() const;
  size_t ready_of_several() const { return ready_of_several_; }  // READY co-allocated parts
  bool IsDown(const std::string& node) const;  // taken out of use by the site itself
  const SiteOrder& order() const { return order_; }
  const SiteShares& shares() const { return shares_; }
  // Holds that may move to an earlier start, in the order in which they are tried; with holds of
  // several sites, or those of one alone.
  std::vector<Fence> MovesInOrder(bool alone) const;
  // Why work with these credentials may not start yet, and until when; none: it may. `stays`: the
  // hold that promises it room here already, null for new work. A ceiling bars what is promised
  // only if it has dated it, and then not longer than it said.
  std::optional<schemas::Reason> WhyBarred(const Credentials& who,
                                           const schemas::HoldRecord* stays) const;
  // The same of each entry; what it is to replace here stays.
  Dating Date(std::vector<schemas::ProposalEntry> entries) const;
  // A cause in the site's own name.
  schemas::Cause Own(schemas::CauseCode code, std::string node = {}) const;

  // Marks holds that need a look in this turn.
  void Touch(const Fence& fence) { touched_.insert(fence); }
  void TouchAll();
  void TouchDue();  // those whose timer is due
  bool touched() const { return !touched_.empty(); }
  std::optional<Fence> TakeTouched();  // takes the one with the least fence; none if none is left

  // Whether the link to the meta is up: without it no permit can come.
  void SetLinked(bool linked) { linked_ = linked; }
  // Changes of local users' holds since the last call, in order.
  std::vector<HoldNews> TakeNews() { return std::exchange(news_, {}); }
  void ReportHold(const Fence& fence);
  // How the shares of the federation stand; the order of moves follows in this turn.
  void HearStanding(const schemas::Standing& standing) { order_.Hear(standing); }

  // Once a turn: judges ceilings, at its begin; gives points at a time of the grid; and, after all
  // that counts use, forgets windows that count no more.
  void JudgeShares();
  void RankAnew();
  void ForgetOldUse() { shares_.ForgetOld(ledger_.EditUse(), now()); }
  // When one of these is due by the passing of time alone.
  std::optional<BootInstant> NextOfPolicy() const;

 protected:
  verifier::Ledger& records() { return ledger_; }
  Live& Memory(const Fence& fence) { return live_[fence]; }
  Timers& timers() { return timers_; }
  const Timers& timers() const { return timers_; }
  Movable& movable() { return movable_; }
  const Movable& movable() const { return movable_; }
  bool linked() const { return linked_; }
  const SitePolicy& policy() const { return policy_; }
  // Place in the order of moving earlier: the least goes first.
  std::tuple<int64_t, SitePolicy::Rank, Fence> PlaceOf(const Fence& fence) const;

  verifier::HoldGuards GuardsOf(const schemas::HoldRecord& hold) const;
  void ArmDeadline(schemas::HoldRecord& hold) const;
  // Applies `step` to the part: updates record, node use and counters, and reports. `at`: when it
  // happened.
  void SetPart(const Fence& fence, uint32_t index, const verifier::PartStep& step, Moment at);
  // Reports a change of a hold: in the feed to the meta, or as news if the hold is a local user's.
  void Report(const Fence& fence, decltype(schemas::Change::what) what);
  // Drops the in-memory state of a hold that is CLOSED.
  void ForgetLive(const schemas::HoldRecord& hold);
  void TouchWaiting();
  void SomethingIsFree();              // resources were freed: earlier starts may be possible
  void IndexMove(const Fence& fence);  // the hold has changed, or is gone
  // Whether the site may lend the hold room before its start: it is permitted, has one part and a
  // contract that the site takes, was not recalled too often, and has no loan. Not where nodes are
  // of other speeds than the reference.
  bool MayBeLent(const schemas::HoldRecord& hold) const;
  // Why the site lends nothing to work with these credentials; none: it does.
  std::optional<schemas::Reason> WhyNotLent(const Credentials& who) const;
  // Holds whose room is only lent, which run or are about to, and were not recalled.
  const std::set<Fence>& on_lent_room() const { return on_lent_room_; }
  uint64_t lives_changed() const { return lives_changed_; }  // rises when these change
  // How long the nodes of a loan with this contract cannot be had: grace, turnover and one look.
  Span TakenBackIn(const schemas::Contract& contract) const;
  // For how long such a loan is booked when it begins.
  Span BookedFirst(const schemas::Contract& contract) const;

  // Whether it has asked for an earlier place already; meanwhile it looks for no other.
  void SetAsking(const Fence& fence, bool asks);
  // Lets the plan use a node, unless it is drained or was told to be out of use.
  void PutInUse(const std::string& node);
  // Whether it is in use: neither drained nor told to be out of use.
  bool MayUse(const std::string& node) const;
  bool MayUseAll(const std::vector<schemas::PartPlace>& places) const;
  // What the plan has to book for a hold now, allowing for parts that ended, started late, overran,
  // or were extended or resized.
  verifier::Demand DemandNow(const schemas::HoldRecord& hold) const;
  void RestoreBooking(const schemas::HoldRecord& hold);
  void RestoreIn(SitePlanner& where, const schemas::HoldRecord& hold) const;
  // Rebuilds node use, ports and movable holds from the record: once, after a restart.
  void RebuildParts();

  bool TimedOut(const PartKey& part) const;
  // Whether the hold may move to make room for another: it is bound, has not started, is neither a
  // reservation nor inside one, and neither replaces nor is replaced (at most one of such a pair
  // runs). Nobody makes room where that would take a new wall.
  bool MayMove(const Fence& fence) const;
  // Bound single-site holds that this hold may displace and whose booking overlaps its own in time,
  // the least urgent first.
  std::vector<Fence> LessUrgent(const Fence& fence) const;
  // Whether the reservation that the hold is inside of is open; true if the hold is in none. A
  // reservation whose start has come stays closed until its permit; until then nothing inside
  // starts.
  bool ReservationIsOpen(const schemas::HoldRecord& hold) const;

 private:
  verifier::Ledger ledger_;
  std::map<Fence, Live> live_;
  std::set<Fence> touched_;
  Timers timers_;
  SitePolicy policy_;
  SiteOrder order_;
  SiteShares shares_;
  Movable movable_;
  std::set<Fence> on_lent_room_;
  std::set<Fence> asking_;
  uint64_t lives_changed_ = 0;
  std::vector<HoldNews> news_;
  size_t ready_of_several_ = 0;
  bool linked_ = false;
};

}  // namespace muster::site
