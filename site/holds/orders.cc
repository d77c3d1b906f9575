// The meta's orders on holds, by the table of protocol.md section 3.1: creating orders, prepare,
// commit, permit, release. Orders name a target: if the hold is already there or further, the
// answer is its present state (H20).
#include "site/holds/orders.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/planning/admission.h"
#include "verifier/deadline.h"

namespace muster::site {

using schemas::Answer;
using schemas::AnswerKind;
using schemas::CauseCode;
using schemas::ClosedAs;
using schemas::HoldOrder;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::ReasonCode;
using schemas::VerdictEntry;
using verifier::HoldEvent;
using verifier::HoldGuards;
using verifier::HoldRow;
using verifier::HoldStep;

namespace {

bool IsStage(HoldState stage) {
  return stage == HoldState::kHeld || stage == HoldState::kPrepared ||
         stage == HoldState::kCommitted;
}

Answer Countered(const Fence& fence, VerdictEntry verdict) {
  return {.fence = fence, .kind = AnswerKind::kCountered, .verdict = std::move(verdict)};
}

}  // namespace

HoldEvent Orders::EventOf(HoldState stage) {
  if (stage == HoldState::kHeld) return HoldEvent::kHoldHeld;
  return stage == HoldState::kPrepared ? HoldEvent::kHoldPrepared : HoldEvent::kCommitDirect;
}

Answer Orders::Present(const Fence& fence, const HoldStep& step) {
  if (step.effects.protocol_error) Nonsense("an order that HELD does not allow");  // H21
  Answer answer{.fence = fence, .kind = AnswerKind::kPresent};
  if (const HoldRecord* hold = ledger().Find(fence)) {
    answer.present = HoldChangedOf(*hold);
    answer.revision = hold->revision;
  } else {  // H5 below the floor: the hold is certainly closed
    answer.present =
        schemas::HoldChanged{.state = HoldState::kClosed, .closed_as = ClosedAs::kReleased};
  }
  return answer;
}

// Caps on the number of holds apply only to new ones (`there` false): a HELD hold that becomes a
// direct commit is counted already.
std::optional<VerdictEntry> Orders::OverCap(const HoldOrder& order, bool there) const {
  if (disk_low()) {
    return Blocked(ReasonCode::kPolicy, "disk",
                   "the site's disk is nearly full; it takes no new work");
  }
  if (order.stage == HoldState::kHeld && order.lease > options().max_lease) {
    return Blocked(ReasonCode::kPolicy, "lease",
                   "a lease here lasts at most " +
                       std::to_string(options().max_lease.milliseconds / 1000) + " s");
  }
  if (there) return std::nullopt;
  if (ledger().live() >= options().max_holds) {
    return Blocked(ReasonCode::kLimit, "holds",
                   "the site keeps at most " + std::to_string(options().max_holds) + " holds");
  }
  if (order.stage != HoldState::kHeld) return std::nullopt;
  if (ledger().held() >= options().max_held) {
    return Blocked(ReasonCode::kLimit, "held",
                   "the site has at most " + std::to_string(options().max_held) + " leased holds");
  }
  if (ledger().HeldBy(order.requester.user) >= options().max_held_per_user) {
    return Blocked(
        ReasonCode::kLimit, "held",
        "a user has at most " + std::to_string(options().max_held_per_user) + " leased holds here");
  }
  return std::nullopt;
}

// Of new work, or of a hold that is to replace another.
std::optional<schemas::Reason> Orders::WhyDated(const HoldOrder& order) const {
  if (order.inside) return std::nullopt;
  const HoldRecord* old = Replaced(order);
  const bool bound = old != nullptr && old->state >= HoldState::kPrepared;
  return WhyBarred(CredentialsOf(order), bound ? old : nullptr);
}

std::optional<VerdictEntry> Orders::BookNew(const HoldOrder& order,
                                            const std::optional<schemas::Reason>& barred) {
  if (asked_.contains(order.fence)) return TakeAsked(order);
  auto answer = PlanNew(order, barred);
  if (auto* refusal = std::get_if<VerdictEntry>(&answer)) return std::move(*refusal);
  auto& planned = std::get<Planned>(answer);
  if (auto asks = Ask(order, planned)) return asks;
  Record(order, std::move(planned));
  return std::nullopt;
}

std::variant<Orders::Planned, VerdictEntry> Orders::PlanNew(
    const HoldOrder& order, const std::optional<schemas::Reason>& barred) {
  const HoldRecord* old = Replaced(order);
  if (old != nullptr && MayRun(*old)) {
    return Blocked(ReasonCode::kJob, "", "the hold it would replace has started");
  }
  if (order.only_lent) {
    if (const auto why = WhyNotLent(CredentialsOf(order))) {
      return Blocked(why->code, "", why->text);
    }
  }
  std::optional<Fence> beside;
  if (old != nullptr) beside = order.replaces;
  verifier::Demand demand = DemandOf(order);
  if (order.only_lent) {
    schemas::PartDemand& part = demand.parts.front();
    demand.asked[part.index] = part.duration;  // rules judge its whole length
    demand.stays = MayStay(part.duration);
    part.duration = BookedFirst(*order.contract);
    part.tail = {};
    demand.lent = true;
  }
  if (barred) demand.allowed = demand.allowed.NotBefore(*barred->until);
  if (barred && demand.allowed.empty()) {
    return VerdictEntry{.kind = schemas::VerdictKind::kBlocked, .reason = *barred};
  }
  auto answer = planner().Book(order.fence, demand, now_floor(), beside);
  if (auto* refusal = std::get_if<VerdictEntry>(&answer)) return std::move(*refusal);
  const auto& booked = std::get<verifier::Booked>(answer);
  MUSTER_CHECK(booked.places.size() == order.parts.size());
  if (beside && order.improves && booked.start >= old->start) {
    planner().Free(order.fence);
    return Blocked(ReasonCode::kJob, "", "the hold it would replace starts as early by now");
  }
  std::vector<schemas::PartRecord> parts;
  for (size_t i = 0; i < order.parts.size(); ++i) {
    schemas::PartRecord part{.index = order.parts[i].index, .place = booked.places[i]};
    part.place.index = part.index;
    if (order.only_lent) part.only_lent = schemas::OnlyLent{.since = now()};
    parts.push_back(std::move(part));
  }
  // The other sites must know this site's addresses before anything starts.
  if (order.members.size() > 1 && !TakePorts(parts)) {
    planner().Free(order.fence);
    return Blocked(ReasonCode::kLimit, "ports", "all rendezvous ports of the site are taken");
  }
  std::optional<Instant> dated;
  if (barred) dated = barred->until;
  return Planned{booked, beside, std::move(parts), dated};
}

void Orders::Record(const HoldOrder& order, Planned planned) {
  Memory(order.fence);
  HoldRecord& hold = records().Create(order.fence);
  hold.order = order;
  hold.order.replaces = planned.beside;  // dropped if no such hold is here
  hold.dated = planned.dated;
  hold.start = planned.booked.start;
  hold.parts = std::move(planned.parts);
  if (Reserves(hold)) OpenSystem(order.fence);
}

// H3 from HELD: keeps the booking, and plans anew only if its start is not allowed or has passed.
std::optional<VerdictEntry> Orders::KeepHeld(const HoldOrder& order) {
  const HoldRecord& held = *ledger().Find(order.fence);
  if (order.parts != held.order.parts || order.requester != held.order.requester) {
    return Never({.code = ReasonCode::kJob, .text = "another hold has this fence"});
  }
  if (!order.allowed.Contains(held.start) || held.start < now_floor()) {
    if (options().facts.most_walls > 0) {  // its walls stand where it is
      return Blocked(ReasonCode::kJob, "", "the start that is held is not allowed any more");
    }
    auto answer = planner().Rebook(order.fence, order.allowed, now_floor());
    if (auto* refusal = std::get_if<VerdictEntry>(&answer)) return std::move(*refusal);
    Remap(order.fence, std::get<verifier::Booked>(answer));
  }
  HoldRecord& edited = records().Edit(order.fence);
  const std::optional<Fence> beside = edited.order.replaces;  // as when it was booked
  edited.order = order;
  edited.order.replaces = beside;
  return std::nullopt;
}

std::optional<Answer> Orders::Take(const HoldOrder& order) {
  if (order.fence.epoch.value == 0 || order.fence.epoch > ledger().identity().epoch ||
      !IsStage(order.stage)) {
    Nonsense("a hold of a fence or stage that no meta makes");
    return Countered(order.fence,
                     Never({.code = ReasonCode::kJob, .text = "no such fence or stage"}));
  }
  const HoldEvent event = EventOf(order.stage);
  const HoldRecord* there = ledger().Find(order.fence);
  const HoldState state = there == nullptr ? HoldState::kNone : there->state;
  HoldGuards guards;
  guards.fence_below_floor = order.fence < ledger().identity().floor;
  guards.one_member = order.members.size() == 1;
  if (IsAsked(order.fence) && !guards.fence_below_floor) return std::nullopt;  // A1
  std::optional<VerdictEntry> refusal;
  if (const auto fault = FaultOf(order, options())) {
    refusal = Never(*fault);
    guards.within_caps = false;
  } else if (const auto none = WhyNoAccount(order.requester.user, options()); none && !there) {
    refusal = Never(*none);
    guards.within_caps = false;
  } else if ((refusal = OverCap(order, there != nullptr))) {
    guards.within_caps = false;
  } else if (const auto blind = WhyBlind(); blind && state != HoldState::kHeld) {
    refusal = VerdictEntry{.kind = schemas::VerdictKind::kBlocked, .reason = *blind};
    guards.feasible = false;
  } else if (NeedsPlanning(state, event, guards)) {
    refusal = state == HoldState::kHeld ? KeepHeld(order) : BookNew(order, WhyDated(order));
    guards.feasible = !refusal;
  }
  if (IsAsked(order.fence)) return std::nullopt;  // A1
  const HoldStep step = NextHold(state, event, guards);
  if (step.effects.stale) {  // H22
    Unask(order.fence);
    return Answer{.fence = order.fence, .kind = AnswerKind::kStale};
  }
  if (step.effects.present) return Present(order.fence, step);  // H20
  if (step.effects.countered) {                                 // H4
    if (!refusal)
      refusal = Never({.code = ReasonCode::kJob, .text = "a direct commit has one member"});
    return Countered(order.fence, std::move(*refusal));
  }
  Enter(order, step);
  return std::nullopt;
}

void Orders::Enter(const HoldOrder& order, const HoldStep& step) {
  HoldRecord& hold = records().Edit(order.fence);
  if (step.effects.arm_lease) {
    hold.lease =
        verifier::ArmDeadline(order.lease, {turn().wall.milliseconds + order.lease.milliseconds},
                              turn().boot, options().boot_id);
  }
  if (step.effects.arm_deadline) {
    hold.lease.reset();
    ArmDeadline(hold);
  }
  records().SetState(order.fence, step.next);
  if (step.effects.close_replaced) CloseReplaced(order.fence);
  ReportHold(order.fence);
  LeaveDrained(order.fence);
}

std::optional<Answer> Orders::Take(const schemas::PrepareOrder& order) {
  const HoldRecord* hold = ledger().Find(order.fence);
  const HoldStep step = NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kPrepare,
                                 hold ? GuardsOf(*hold) : HoldGuards{});
  if (step.effects.unknown) {  // H6
    return Answer{.fence = order.fence, .kind = AnswerKind::kUnknown};
  }
  if (step.effects.present) return Present(order.fence, step);
  HoldRecord& edited = records().Edit(order.fence);  // H7
  records().SetState(order.fence, step.next);
  edited.lease.reset();
  ArmDeadline(edited);
  ReportHold(order.fence);
  LeaveDrained(order.fence);
  return std::nullopt;
}

std::optional<Answer> Orders::Take(const schemas::CommitOrder& order) {
  const HoldRecord* hold = ledger().Find(order.fence);
  const HoldStep step = NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kCommit,
                                 hold ? GuardsOf(*hold) : HoldGuards{});
  if (step.effects.unknown) {
    return Answer{.fence = order.fence, .kind = AnswerKind::kUnknown};
  }
  if (step.effects.present) return Present(order.fence, step);
  if (ReplacedHasStarted(*hold)) {
    Drop(order.fence, Own(CauseCode::kOverrun), {});
    return std::nullopt;
  }
  records().SetState(order.fence, step.next);  // H9
  CloseReplaced(order.fence);
  ReportHold(order.fence);
  return std::nullopt;
}

std::optional<Answer> Orders::Take(const schemas::PermitOrder& order) {
  const HoldRecord* hold = ledger().Find(order.fence);
  const HoldStep step = NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kPermit,
                                 hold ? GuardsOf(*hold) : HoldGuards{});
  if (step.effects.unknown) {
    return Answer{.fence = order.fence, .kind = AnswerKind::kUnknown};
  }
  if (step.effects.present) return Present(order.fence, step);
  if (!Sane(order.permit)) {
    Nonsense("a permit with an absurd last start or list");
    return Present(order.fence, step);
  }
  if (step.effects.close_replaced && ReplacedHasStarted(*hold)) {
    Drop(order.fence, Own(CauseCode::kOverrun), {});
    return std::nullopt;
  }
  HoldRecord& edited = records().Edit(order.fence);  // H10
  edited.permit = order.permit;
  // With several members the last start is D at most. D is fixed on preparing; no order moves it.
  if (!OneMember(edited)) {
    edited.permit->last_start =
        std::min(order.permit.last_start, edited.start + edited.order.deadline_after);
  }
  records().SetState(order.fence, step.next);
  if (step.effects.close_replaced) CloseReplaced(order.fence);
  GiveBackTail(order.fence);
  ReportHold(order.fence);
  if (step.effects.start_later) MoveForCause(order.fence, Own(CauseCode::kNoPermit), false);
  return std::nullopt;
}

std::optional<Answer> Orders::Take(const schemas::ReleaseOrder& order) {
  const HoldRecord* hold = ledger().Find(order.fence);
  HoldGuards guards = hold ? GuardsOf(*hold) : HoldGuards{};
  guards.fence_below_floor = order.fence < ledger().identity().floor;
  guards.unless_started = order.unless_started;
  guards.started = guards.started || (hold != nullptr && IsLent(*hold));  // L7
  const HoldStep step =
      NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kRelease, guards);
  switch (step.row) {
    case HoldRow::kH5:
      if (step.effects.tombstone) return Tombstone(order);
      return Present(order.fence, step);
    case HoldRow::kH12:
      Close(order.fence, step.closed_as, order.cause);
      return std::nullopt;
    case HoldRow::kH13:
      if (IsStopping(*hold)) return Present(order.fence, step);  // target passed: H20
      records().Edit(order.fence).closed_as = step.closed_as;
      StopParts(order.fence, order.cause);
      return std::nullopt;
    default:
      return Present(order.fence, step);
  }
}

// The live hold that an order would replace; null: none. It must be an older attempt of the same
// request: at most one of these is ever permitted, so they may share nodes (G2).
const HoldRecord* Orders::Replaced(const HoldOrder& order) const {
  if (!order.replaces || *order.replaces >= order.fence) return nullptr;
  const HoldRecord* old = ledger().Find(*order.replaces);
  const bool fits = old != nullptr && IsLive(*old) && old->order.request == order.request;
  return fits ? old : nullptr;
}

// A replaced hold that has started cannot be closed by the write that commits its successor: then
// the improvement has failed and the promise stays as it was (section 0.3).
bool Orders::ReplacedHasStarted(const HoldRecord& hold) const {
  const HoldRecord* old = Replaced(hold.order);
  return old != nullptr && MayRun(*old);
}

void Orders::CloseReplaced(const Fence& fence) {
  const HoldRecord* old = Replaced(ledger().Find(fence)->order);
  if (old == nullptr || MayRun(*old)) return;
  Close(old->order.fence, ClosedAs::kReleased, {.code = CauseCode::kNone, .who = "meta"});
}

// A single-site hold that was committed directly and is now permitted no longer needs its tail.
void Orders::GiveBackTail(const Fence& fence) {
  const auto has_tail = [](const schemas::PartDemand& part) { return part.tail > Span{0}; };
  const HoldRecord& hold = *ledger().Find(fence);
  const std::vector<schemas::PartDemand>& parts = hold.order.parts;
  const bool direct = hold.order.stage == HoldState::kCommitted;
  if (!OneMember(hold) || !direct || Reserves(hold)) return;
  if (std::none_of(parts.begin(), parts.end(), has_tail)) return;
  for (schemas::PartDemand& part : records().Edit(fence).order.parts) part.tail = {};
  StayWhereItIs(fence);
  planner().Free(fence);
  RestoreBooking(*ledger().Find(fence));
  SomethingIsFree();
}

// H5: the release overtook its hold. The tombstone refuses the hold when it comes, and is deleted
// once the floor has passed it.
std::optional<Answer> Orders::Tombstone(const schemas::ReleaseOrder& order) {
  Unask(order.fence);  // A4
  if (order.fence.epoch.value == 0 || order.fence.epoch > ledger().identity().epoch ||
      ledger().holds().size() >= 2 * options().max_holds) {
    Nonsense("a release of a fence that no meta makes, or of too many unknown ones");
    return Answer{.fence = order.fence, .kind = AnswerKind::kUnknown};
  }
  HoldRecord& hold = records().Create(order.fence);
  hold.cause = order.cause;
  hold.closed_as = ClosedAs::kReleased;
  records().SetState(order.fence, HoldState::kClosed);
  ReportHold(order.fence);
  return std::nullopt;
}

}  // namespace muster::site
