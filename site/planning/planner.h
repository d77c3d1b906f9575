// The site's planner: the plan of the site itself, and those of the reservations that are open in
// it. protocol.md sections 2 and 4, scheduling.md section 3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/site_link.h"
#include "site/options.h"
#include "site/plan/order.h"
#include "site/planning/nested_plans.h"
#include "site/planning/reserved.h"
#include "site/planning/system_plan.h"
#include "verifier/planner.h"

namespace muster::site {

// Copyable by value. Amounts are taken as given: defaults are the caller's. See verifier::Planner
// for what the methods promise; what is more:
// - A refusal of Book or Rebook for lack of room carries the way out: up to kStartIntervals
//   intervals of feasible starts from the first allowed one on, whether allowed or not. Verify
//   never goes beyond what was allowed; if none of that is feasible the entry is blocked, and
//   nothing is booked for it.
// - A reason names the node, the resource (none: the whole node) and the job whose booking ends
//   there.
// - Plan time only goes forward: starts before the latest `now` of a Book, Rebook or Forget, less
//   some slack, are not offered again.
// - A demand or entry that is `inside` of a reservation is planned and booked there; all other
//   methods find a booking wherever it is. A booking to be restored inside of what is not open is
//   nowhere, and to free it does nothing.
class SitePlanner : public verifier::Planner, private SystemPlan {
 public:
  // REQUIRES: node names are distinct, amounts >= 0, turnover and horizon >= 0.
  explicit SitePlanner(const Options& options) : SystemPlan(options), nested_(options) {}

  PlanRevision revision() const override { return {SystemPlan::revision() + nested_.changes()}; }
  verifier::BookAnswer Book(const Fence& fence, const verifier::Demand& demand, Instant now,
                            std::optional<Fence> beside) override;
  void Restore(const Fence& fence, const verifier::Demand& demand,
               const verifier::Booked& booked) override;
  void Join(const Fence& fence, const Fence& beside) override;
  void Free(const Fence& fence) override;
  void FreePartFrom(const Fence& fence, uint32_t part, Instant from) override;
  verifier::BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now) override;
  // Rebook for a pass of backfilling: none if it stays where it is, without the reasons and starts
  // of a refusal, which cost more than the search.
  std::optional<verifier::Booked> RebookEarlier(const Fence& fence, const IntervalSet& allowed,
                                                Instant now);
  // Allowed starts that it could have as well, at most as many intervals as a verdict has; nothing
  // changes. REQUIRES: it is booked.
  IntervalSet OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now);
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now) const override;
  // The same for entries of the site's own users, to whom the federation's share says nothing.
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated) const;
  // A run of tentative verdicts: entries of one count as booked for those of the next. Null begins
  // one; it ends when the revision changes. Entries inside of reservations stay out of it.
  using SystemPlan::Run;
  std::vector<schemas::VerdictEntry> Continue(const std::vector<schemas::ProposalEntry>& entries,
                                              Instant now, std::shared_ptr<Run>& run) const;

  // Reservations as systems of their own (nested_plans.h).
  void OpenSystem(const Reserved& reserved) { nested_.Open(reserved); }
  void ShareSystem(RequestId id, const std::vector<std::string>& allow) {
    nested_.Share(id, allow);
  }
  void CloseSystem(RequestId id, const Fence& holder) { nested_.Close(id, holder); }
  std::optional<Fence> HolderOf(RequestId id) const { return nested_.HolderOf(id); }

  // As in system_plan.h, wherever the booking or entry is.
  Instant EndOf(const Fence& fence, uint32_t part) const;
  Instant RoomUntil(const Fence& fence, uint32_t part, Instant until) const;
  std::vector<Fence> Beside(const Fence& fence, uint32_t part, Instant begin, Instant end) const;
  void Lengthen(const Fence& fence, uint32_t part, Instant end);
  std::vector<plan::Obstacle> Obstacles(const schemas::ProposalEntry& entry, Instant start) const;
  std::vector<plan::Window> Windows(const schemas::ProposalEntry& entry, Instant until, Instant now,
                                    size_t limit, bool federated = true) const;

  // As in system_plan.h, in all systems. SetUsable is false if there is no such node.
  bool SetUsable(const std::string& node, bool usable);
  void OnlyOn(const std::set<std::string>& nodes);
  void Forget(Instant now);

  // As in system_plan.h, of the site itself; what is told of its capacity has this revision().
  schemas::Capacity Capacity(Instant now) const;
  using SystemPlan::FreeNow;
  using SystemPlan::Knows;
  using SystemPlan::Limits;
  using SystemPlan::looks;
  using SystemPlan::NodesNow;
  using SystemPlan::Resource;
  using SystemPlan::SetAside;
  using SystemPlan::SetGone;
  using SystemPlan::StandingIn;
  using SystemPlan::StandingOf;
  using SystemPlan::Usable;

 private:
  std::vector<schemas::VerdictEntry> Answer(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated, Run* run) const;
  std::vector<schemas::VerdictEntry> AnswerApart(const std::vector<schemas::ProposalEntry>& entries,
                                                 Instant now, bool federated, Run* run) const;

  NestedPlans nested_;
};

}  // namespace muster::site
