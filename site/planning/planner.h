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

// Copyable by value. Durations are taken as given: the caller applies defaults. The methods keep
// the contract of verifier::Planner; in addition:
// - If Book or Rebook refuses for lack of room, the refusal offers a way out: up to kStartIntervals
//   intervals of feasible starts from the first allowed one on, whether allowed or not. Verify
//   never offers starts that are not allowed; if no allowed start is feasible, the entry is blocked
//   or can never run, and nothing is booked for it.
// - A reason for lack of room on a node names the node, the resource (none: the whole node) and, if
//   it is known, the job whose booking must end first.
// - Plan time only goes forward: starts before the latest `now` given to Book, Rebook,
//   RebookEarlier, OtherStarts or Forget, less some slack, are not offered again.
// - Rebook, for which there is a cause, does not wait for lent work: a promise goes before it.
// - A demand or entry that is `inside` of a reservation is planned and booked there. All other
//   methods find a booking in whichever plan has it. Restoring a booking inside of a reservation
//   that is not open books nothing, and freeing it does nothing.
class SitePlanner : public verifier::Planner, private SystemPlan {
 public:
  // REQUIRES: node names are distinct, amounts >= 0, turnover and horizon >= 0.
  explicit SitePlanner(const Options& options) : SystemPlan(options), nested_(options) {}

  PlanRevision revision() const override {
    return {SystemPlan::revision() + nested_.changes() + announced_};
  }
  // What may be booked has changed though no booking has: a new revision.
  void Announce() { ++announced_; }
  verifier::BookAnswer Book(const Fence& fence, const verifier::Demand& demand, Instant now,
                            std::optional<Fence> beside) override;
  void Restore(const Fence& fence, const verifier::Demand& demand,
               const verifier::Booked& booked) override;
  void Join(const Fence& fence, const Fence& beside) override;
  void Free(const Fence& fence) override;
  void FreePartFrom(const Fence& fence, uint32_t part, Instant from) override;
  verifier::BookAnswer Rebook(const Fence& fence, const IntervalSet& allowed, Instant now) override;
  // Rebook for a pass of backfilling; none if the booking stays. It leaves out the reasons and
  // starts of a refusal, which cost more than the search.
  std::optional<verifier::Booked> RebookEarlier(const Fence& fence, const IntervalSet& allowed,
                                                Instant now);
  // The allowed starts to which the booking could move, in at most as many intervals as a verdict
  // may have. Changes nothing. REQUIRES: the fence is booked.
  IntervalSet OtherStarts(const Fence& fence, const IntervalSet& allowed, Instant now);
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now) const override;
  // The same; `federated` is false for entries of the site's own users, who do not count against
  // the federation's share.
  std::vector<schemas::VerdictEntry> Verify(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated) const;
  // One call of a run of tentative verdicts: its entries count as booked in the next call. A null
  // `run` begins a new run. Entries inside of reservations do not take part. REQUIRES: the site's
  // own plan has not changed since the run's first call.
  using SystemPlan::AmountsOf;
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

  // As in system_plan.h, in the plan that has the booking or that the entry is for.
  Instant EndOf(const Fence& fence, uint32_t part) const;
  Instant RoomUntil(const Fence& fence, uint32_t part, Instant until) const;
  bool HasRoomFrom(const Fence& fence, uint32_t part, Instant from) const;
  std::vector<Fence> Beside(const Fence& fence, uint32_t part, Instant begin, Instant end) const;
  void Lengthen(const Fence& fence, uint32_t part, Instant end);
  // Of what is booked inside of a reservation: none.
  std::optional<std::string> ShortOn(const Fence& fence) const;
  std::vector<plan::Obstacle> Obstacles(const schemas::ProposalEntry& entry, Instant start) const;
  std::vector<plan::Window> Windows(const schemas::ProposalEntry& entry, Instant until, Instant now,
                                    size_t limit, bool federated = true) const;

  // As in system_plan.h, for all systems. SetUsable returns false if there is no such node.
  bool SetUsable(const std::string& node, bool usable);
  void LimitTime(const std::string& node, const plan::TimeLimit& limit);
  void OnlyOn(const std::set<std::string>& nodes);
  void Forget(Instant now);

  // As in system_plan.h, for the site's own system. Capacity states the revision() of this class.
  schemas::Capacity Capacity(Instant now) const;
  using SystemPlan::DropOutside;
  using SystemPlan::FreeNow;
  using SystemPlan::Knows;
  using SystemPlan::Limits;
  using SystemPlan::looks;
  using SystemPlan::NodesNow;
  using SystemPlan::OutsideOf;
  using SystemPlan::Resource;
  using SystemPlan::SetAside;
  using SystemPlan::SetGone;
  using SystemPlan::SetOutside;
  using SystemPlan::StandingIn;
  using SystemPlan::StandingOf;
  using SystemPlan::Usable;

 private:
  std::vector<schemas::VerdictEntry> Answer(const std::vector<schemas::ProposalEntry>& entries,
                                            Instant now, bool federated, Run* run) const;
  std::vector<schemas::VerdictEntry> AnswerApart(const std::vector<schemas::ProposalEntry>& entries,
                                                 Instant now, bool federated, Run* run) const;

  NestedPlans nested_;
  uint64_t announced_ = 0;
};

}  // namespace muster::site
