// The meta's orders on holds, through the table of protocol.md section 3.1: creating orders,
// prepare, commit, permit, release. Orders name a target: whatever is already there is answered
// with the present state (H20).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/planning/admission.h"
#include "site/planning/environment.h"
#include "site/state.h"
#include "verifier/deadline.h"

namespace muster::site {

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

HoldEvent EventOf(HoldState stage) {
  if (stage == HoldState::kHeld) return HoldEvent::kHoldHeld;
  return stage == HoldState::kPrepared ? HoldEvent::kHoldPrepared : HoldEvent::kCommitDirect;
}

bool IsStage(HoldState stage) {
  return stage == HoldState::kHeld || stage == HoldState::kPrepared ||
         stage == HoldState::kCommitted;
}

}  // namespace

HoldGuards Core::State::GuardsOf(const HoldRecord& hold) const {
  HoldGuards guards;
  guards.one_member = OneMember(hold);
  guards.started = HasStarted(hold);
  guards.lease_alive = !hold.lease || turn.boot < hold.lease->boot;
  guards.before_deadline = !hold.deadline || turn.boot < hold.deadline->boot;
  guards.start_passed = now_floor() > hold.start + PermitWait(hold);
  return guards;
}

void Core::State::AnswerPresent(const Fence& fence, const HoldStep& step) {
  if (step.effects.protocol_error) Nonsense("an order that HELD does not allow");  // H21
  schemas::Answer answer{.fence = fence, .kind = schemas::AnswerKind::kPresent};
  if (const HoldRecord* hold = ledger.Find(fence)) {
    answer.present = HoldChangedOf(*hold);
    answer.revision = hold->revision;
  } else {  // H5 below the floor: whatever it was, it is closed
    answer.present =
        schemas::HoldChanged{.state = HoldState::kClosed, .closed_as = ClosedAs::kReleased};
  }
  answers.push_back(std::move(answer));
}

void Core::State::AnswerCountered(const Fence& fence, VerdictEntry verdict) {
  answers.push_back(
      {.fence = fence, .kind = schemas::AnswerKind::kCountered, .verdict = std::move(verdict)});
}

// Caps bind what is created; HELD that turns into a direct commit is counted already.
std::optional<VerdictEntry> Core::State::OverCap(const HoldOrder& order, bool there) const {
  if (disk_low) {
    return Blocked(ReasonCode::kPolicy, "disk",
                   "the site's disk is nearly full; it takes no new work");
  }
  if (order.stage == HoldState::kHeld && order.lease > options.max_lease) {
    return Blocked(ReasonCode::kPolicy, "lease",
                   "a lease here lasts at most " +
                       std::to_string(options.max_lease.milliseconds / 1000) + " s");
  }
  if (there) return std::nullopt;
  if (ledger.live() >= options.max_holds) {
    return Blocked(ReasonCode::kLimit, "holds",
                   "the site keeps at most " + std::to_string(options.max_holds) + " holds");
  }
  if (order.stage != HoldState::kHeld) return std::nullopt;
  if (ledger.held() >= options.max_held) {
    return Blocked(ReasonCode::kLimit, "held",
                   "the site has at most " + std::to_string(options.max_held) + " leased holds");
  }
  if (ledger.HeldBy(order.requester.user) >= options.max_held_per_user) {
    return Blocked(
        ReasonCode::kLimit, "held",
        "a user has at most " + std::to_string(options.max_held_per_user) + " leased holds here");
  }
  return std::nullopt;
}

// Books and records; a refusal leaves nothing behind.
std::optional<VerdictEntry> Core::State::BookNew(const HoldOrder& order) {
  const HoldRecord* old = Replaced(order);
  if (old != nullptr && HasStarted(*old)) {
    return Blocked(ReasonCode::kJob, "", "the hold it would replace has started");
  }
  std::optional<Fence> beside;
  if (old != nullptr) beside = order.replaces;
  auto answer = plan.Book(order.fence, DemandOf(order), now_floor(), beside);
  if (auto* refusal = std::get_if<VerdictEntry>(&answer)) return std::move(*refusal);
  const auto& booked = std::get<verifier::Booked>(answer);
  MUSTER_CHECK(booked.places.size() == order.parts.size());
  std::vector<schemas::PartRecord> parts;
  for (size_t i = 0; i < order.parts.size(); ++i) {
    schemas::PartRecord part{.index = order.parts[i].index, .place = booked.places[i]};
    part.place.index = part.index;
    parts.push_back(std::move(part));
  }
  // Other sites must know the addresses before anything starts.
  if (order.members.size() > 1 && !TakePorts(parts)) {
    plan.Free(order.fence);
    return Blocked(ReasonCode::kLimit, "ports", "all rendezvous ports of the site are taken");
  }
  live[order.fence];
  HoldRecord& hold = ledger.Create(order.fence);
  hold.order = order;
  hold.order.replaces = beside;  // one that names nothing here has no effect, now or later
  hold.start = booked.start;
  hold.parts = std::move(parts);
  if (Reserves(hold)) OpenSystem(order.fence);
  return std::nullopt;
}

// H3 from HELD: the booking is there; it is planned anew only if its start is no longer wanted.
std::optional<VerdictEntry> Core::State::KeepHeld(const HoldOrder& order) {
  const HoldRecord& held = *ledger.Find(order.fence);
  if (order.parts != held.order.parts || order.requester != held.order.requester) {
    return Never({.code = ReasonCode::kJob, .text = "another hold has this fence"});
  }
  if (!order.allowed.Contains(held.start) || held.start < now_floor()) {
    auto answer = plan.Rebook(order.fence, order.allowed, now_floor());
    if (auto* refusal = std::get_if<VerdictEntry>(&answer)) return std::move(*refusal);
    Remap(order.fence, std::get<verifier::Booked>(answer));
  }
  HoldRecord& edited = ledger.Edit(order.fence);
  const std::optional<Fence> beside = edited.order.replaces;  // as it was booked
  edited.order = order;
  edited.order.replaces = beside;
  return std::nullopt;
}

void Core::State::ArmDeadline(HoldRecord& hold) const {
  const Moment deadline = ToMoment(hold.start + hold.order.deadline_after);
  hold.deadline = verifier::ArmDeadline(BootSpan{deadline.milliseconds - now().milliseconds},
                                        deadline, turn.boot, options.boot_id);
}

void Core::State::OnOrder(const HoldOrder& order) {
  if (order.fence.epoch.value == 0 || order.fence.epoch > ledger.identity().epoch ||
      !IsStage(order.stage)) {
    Nonsense("a hold of a fence or stage that no meta makes");
    AnswerCountered(order.fence,
                    Never({.code = ReasonCode::kJob, .text = "no such fence or stage"}));
    return;
  }
  const HoldEvent event = EventOf(order.stage);
  const HoldRecord* there = ledger.Find(order.fence);
  const HoldState state = there == nullptr ? HoldState::kNone : there->state;
  HoldGuards guards;
  guards.fence_below_floor = order.fence < ledger.identity().floor;
  guards.one_member = order.members.size() == 1;
  std::optional<VerdictEntry> refusal;
  if (const auto fault = FaultOf(order, options)) {
    refusal = Never(*fault);
    guards.within_caps = false;
  } else if ((refusal = OverCap(order, there != nullptr))) {
    guards.within_caps = false;
  } else if (NeedsPlanning(state, event, guards)) {
    refusal = state == HoldState::kHeld ? KeepHeld(order) : BookNew(order);
    guards.feasible = !refusal;
  }
  const HoldStep step = NextHold(state, event, guards);
  if (step.effects.stale) {  // H22
    answers.push_back({.fence = order.fence, .kind = schemas::AnswerKind::kStale});
    return;
  }
  if (step.effects.present) return AnswerPresent(order.fence, step);  // H20
  if (step.effects.countered) {                                       // H4
    if (!refusal)
      refusal = Never({.code = ReasonCode::kJob, .text = "a direct commit has one member"});
    return AnswerCountered(order.fence, std::move(*refusal));
  }
  HoldRecord& hold = ledger.Edit(order.fence);
  if (step.effects.arm_lease) {
    hold.lease =
        verifier::ArmDeadline(order.lease, {turn.wall.milliseconds + order.lease.milliseconds},
                              turn.boot, options.boot_id);
  }
  if (step.effects.arm_deadline) {
    hold.lease.reset();
    ArmDeadline(hold);
  }
  ledger.SetState(order.fence, step.next);
  if (step.effects.close_replaced) CloseReplaced(order.fence);
  ReportHold(order.fence);
  LeaveDrained(order.fence);
}

void Core::State::OnOrder(const schemas::PrepareOrder& order) {
  const HoldRecord* hold = ledger.Find(order.fence);
  const HoldStep step = NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kPrepare,
                                 hold ? GuardsOf(*hold) : HoldGuards{});
  if (step.effects.unknown) {  // H6
    answers.push_back({.fence = order.fence, .kind = schemas::AnswerKind::kUnknown});
    return;
  }
  if (step.effects.present) return AnswerPresent(order.fence, step);
  HoldRecord& edited = ledger.Edit(order.fence);  // H7
  ledger.SetState(order.fence, step.next);
  edited.lease.reset();
  ArmDeadline(edited);
  ReportHold(order.fence);
  LeaveDrained(order.fence);
}

// The live hold that an order would replace. Only an older attempt of the same request: of those
// one at most is ever permitted, so that they may share nodes (G2).
const HoldRecord* Core::State::Replaced(const HoldOrder& order) const {
  if (!order.replaces || *order.replaces >= order.fence) return nullptr;
  const HoldRecord* old = ledger.Find(*order.replaces);
  const bool fits = old != nullptr && IsLive(*old) && old->order.request == order.request;
  return fits ? old : nullptr;
}

// A predecessor that has started cannot be closed in the write that commits its successor: then the
// improvement has failed and what was promised stays (section 0.3).
bool Core::State::ReplacedHasStarted(const HoldRecord& hold) const {
  const HoldRecord* old = Replaced(hold.order);
  return old != nullptr && HasStarted(*old);
}

void Core::State::CloseReplaced(const Fence& fence) {
  const HoldRecord* old = Replaced(ledger.Find(fence)->order);
  if (old == nullptr || HasStarted(*old)) return;
  Close(old->order.fence, ClosedAs::kReleased, {.code = CauseCode::kNone, .who = "meta"});
}

void Core::State::OnOrder(const schemas::CommitOrder& order) {
  const HoldRecord* hold = ledger.Find(order.fence);
  const HoldStep step = NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kCommit,
                                 hold ? GuardsOf(*hold) : HoldGuards{});
  if (step.effects.unknown) {
    answers.push_back({.fence = order.fence, .kind = schemas::AnswerKind::kUnknown});
    return;
  }
  if (step.effects.present) return AnswerPresent(order.fence, step);
  if (ReplacedHasStarted(*hold)) {
    return Drop(order.fence, Own(CauseCode::kOverrun), {});
  }
  ledger.SetState(order.fence, step.next);  // H9
  CloseReplaced(order.fence);
  ReportHold(order.fence);
}

void Core::State::OnOrder(const schemas::PermitOrder& order) {
  const HoldRecord* hold = ledger.Find(order.fence);
  const HoldStep step = NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kPermit,
                                 hold ? GuardsOf(*hold) : HoldGuards{});
  if (step.effects.unknown) {
    answers.push_back({.fence = order.fence, .kind = schemas::AnswerKind::kUnknown});
    return;
  }
  if (step.effects.present) return AnswerPresent(order.fence, step);
  if (!Sane(order.permit)) {
    Nonsense("a permit with an absurd last start or list");
    return AnswerPresent(order.fence, step);
  }
  if (step.effects.close_replaced && ReplacedHasStarted(*hold)) {
    return Drop(order.fence, Own(CauseCode::kOverrun), {});
  }
  HoldRecord& edited = ledger.Edit(order.fence);  // H10
  edited.permit = order.permit;
  // D is fixed when prepared; an order cannot move it.
  if (!OneMember(edited)) {
    edited.permit->last_start =
        std::min(order.permit.last_start, edited.start + edited.order.deadline_after);
  }
  ledger.SetState(order.fence, step.next);
  if (step.effects.close_replaced) CloseReplaced(order.fence);
  GiveBackTail(order.fence);
  ReportHold(order.fence);
  if (step.effects.start_later) MoveForCause(order.fence, Own(CauseCode::kNoPermit), false);
}

// What came from another site is permitted here, and waits for nobody any more.
void Core::State::GiveBackTail(const Fence& fence) {
  const auto has_tail = [](const schemas::PartDemand& part) { return part.tail > Span{0}; };
  const HoldRecord& hold = *ledger.Find(fence);
  const std::vector<schemas::PartDemand>& parts = hold.order.parts;
  const bool direct = hold.order.stage == HoldState::kCommitted;
  if (!OneMember(hold) || !direct || Reserves(hold)) return;
  if (std::none_of(parts.begin(), parts.end(), has_tail)) return;
  for (schemas::PartDemand& part : ledger.Edit(fence).order.parts) part.tail = {};
  plan.Free(fence);
  RestoreBooking(*ledger.Find(fence));
  SomethingIsFree();
}

void Core::State::OnOrder(const schemas::ReleaseOrder& order) {
  const HoldRecord* hold = ledger.Find(order.fence);
  HoldGuards guards = hold ? GuardsOf(*hold) : HoldGuards{};
  guards.fence_below_floor = order.fence < ledger.identity().floor;
  guards.unless_started = order.unless_started;
  const HoldStep step =
      NextHold(hold ? hold->state : HoldState::kNone, HoldEvent::kRelease, guards);
  switch (step.row) {
    case HoldRow::kH5:
      if (step.effects.tombstone) return Tombstone(order);
      return AnswerPresent(order.fence, step);
    case HoldRow::kH12:
      return Close(order.fence, step.closed_as, order.cause);
    case HoldRow::kH13:
      if (IsStopping(*hold)) return AnswerPresent(order.fence, step);  // target passed: H20
      ledger.Edit(order.fence).closed_as = step.closed_as;
      return StopParts(order.fence, order.cause);
    default:
      return AnswerPresent(order.fence, step);
  }
}

// H5: the release overtook its hold. The record refuses it when it comes; the floor ends the
// record.
void Core::State::Tombstone(const schemas::ReleaseOrder& order) {
  if (order.fence.epoch.value == 0 || order.fence.epoch > ledger.identity().epoch ||
      ledger.holds().size() >= 2 * options.max_holds) {
    Nonsense("a release of a fence that no meta makes, or of too many unknown ones");
    answers.push_back({.fence = order.fence, .kind = schemas::AnswerKind::kUnknown});
    return;
  }
  HoldRecord& hold = ledger.Create(order.fence);
  hold.cause = order.cause;
  hold.closed_as = ClosedAs::kReleased;
  ledger.SetState(order.fence, HoldState::kClosed);
  ReportHold(order.fence);
}

}  // namespace muster::site
