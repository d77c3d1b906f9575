// Carries out what becomes due in one hold and its parts: end of lease, D, last start, ready,
// start, the close at the end. protocol.md sections 3.1 (H8, H11, H13, H18, H19), 3.3, 4.
#include "site/holds/hold_progress.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/holds/displaced_by_reload.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"

namespace muster::site {

using schemas::CauseCode;
using schemas::ClosedAs;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using verifier::HoldEvent;
using verifier::PartEvent;

namespace {

constexpr BootSpan kOverrunLook = Seconds(5);  // how often a due part on unclean nodes is looked at
constexpr Span kOverrunBooked{10};             // from now to the new end of a predecessor's booking
constexpr BootSpan kRestOfItsSecond = Milliseconds(999);  // a start is told in whole seconds
constexpr BootSpan kPortsPause = Seconds(1);  // until ports or reservation are checked again

// The first instant after a last start.
Moment After(Instant last_start) { return {ToMoment(last_start).milliseconds + 1}; }

}  // namespace

// When unclean nodes become a cause to move. A single-site hold may use the slack of its promise. A
// co-allocated one looks for other nodes at its start: later the plan can no longer book that
// start.
Moment HoldProgress::OverdueAt(const HoldRecord& hold, Moment start) const {
  if (!OneMember(hold)) return start;
  const BootSpan slack = std::max(ToBootSpan(options().facts.start_slack), kRestOfItsSecond);
  return {start.milliseconds + slack.milliseconds};
}

// When a part says that it is ready, so that those who start with it can be permitted.
Moment HoldProgress::ReadyAt(Moment start) const {
  return {start.milliseconds - values().lead.milliseconds};
}

bool HoldProgress::CloseIfPast(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  if (hold.state == HoldState::kHeld && turn().boot >= hold.lease->boot) {
    const auto step = NextHold(hold.state, HoldEvent::kLeaseEnds, {});  // H8
    Close(fence, step.closed_as, {.code = CauseCode::kNone, .who = Own({}).who});
    return true;
  }
  const bool unpermitted =
      hold.state == HoldState::kPrepared || hold.state == HoldState::kCommitted;
  if (unpermitted && turn().boot >= hold.deadline->boot) {
    const auto step = NextHold(hold.state, HoldEvent::kDeadlinePasses, {});  // H11
    Close(fence, step.closed_as, Own(CauseCode::kNoPermit));
    return true;
  }
  if (hold.state != HoldState::kPermitted) return false;
  if (AllEnded(hold)) {  // H19, or the end of H13
    const auto step = NextHold(hold.state, HoldEvent::kAllPartsEnded, {});
    const bool released = IsStopping(hold);
    schemas::Cause cause{.who = Own({}).who};
    if (released) {
      cause = hold.cause;
    } else if (hold.parts.front().recalls > 0 && HasOnlyLentRoom(hold)) {
      cause = Own(CauseCode::kPreempted);
      cause.subject.job = hold.parts.front().only_lent->recalled_for;
    }
    Close(fence, released ? hold.closed_as : step.closed_as, std::move(cause));
    return true;
  }
  if (MayRun(hold)) return false;
  Span first = DemandOf(hold, hold.parts.front().index).offset;
  for (const PartRecord& part : hold.parts) {
    first = std::min(first, DemandOf(hold, part.index).offset);
  }
  if (now() < After(hold.permit->last_start + first)) return false;
  const auto step = NextHold(hold.state, HoldEvent::kLastStartPasses, {});  // H18
  Close(fence, step.closed_as, Own(CauseCode::kLate));
  return true;
}

void HoldProgress::Advance(const Fence& fence) {
  const HoldRecord* hold = ledger().Find(fence);
  if (hold == nullptr || !IsLive(*hold) || CloseIfPast(fence)) {
    timers().Clear(fence);
    return;
  }
  TimeOuts(fence);
  if (hold->state >= HoldState::kCommitted && !IsStopping(*hold)) {
    WaitNoMore(fence);
    for (size_t i = 0; i < hold->parts.size(); ++i) {
      AdvancePart(fence, hold->parts[i].index);
      hold = ledger().Find(fence);  // the hold may have been closed
      if (!IsLive(*hold)) return;
    }
  }
  Schedule(fence);
}

void HoldProgress::AdvancePart(const Fence& fence, uint32_t index) {
  const HoldRecord& hold = *ledger().Find(fence);
  const PartRecord& part = PartOf(hold, index);
  if (Reserves(hold)) return AdvanceReservation(fence, index);
  if (!WaitsToStart(part.state)) return;
  const schemas::PartDemand& demand = DemandOf(hold, index);
  const Moment start = ToMoment(hold.start + demand.offset);
  // It is handed over before its second, and waits there for it.
  const Moment hand_over{start.milliseconds - ToBootSpan(options().facts.start_ahead).milliseconds};
  if (now() < std::min(ReadyAt(start), hand_over)) return;
  const bool permitted = hold.state == HoldState::kPermitted;
  if (!part.loan && permitted && now() >= After(hold.permit->last_start + demand.offset)) {
    // Other parts of the hold have started (else H18): only this part is too late.
    return FailPart(fence, index, "not started by its last start");
  }
  const auto before = [&](const std::map<uint32_t, Moment>& times) {
    const auto it = times.find(index);
    return it != times.end() && now() < it->second;
  };
  Live& memory = Memory(fence);
  // While it ends on lent room it does not begin a second time.
  if (part.loan || !Clean(part.place, demand.exclusive)) {
    Wait(fence);
    // Resources that the node no longer has will not become free by waiting.
    if (!Exists(part.place) && !HasStarted(hold)) {
      return MoveForCause(fence, LostOf(DisplacedByReload(options()).TooLarge(part)), true);
    }
    const bool overdue = now() >= OverdueAt(hold, start);
    if (!overdue || before(memory.look_at)) return;
    if (WhyBlind()) {  // who else is on the machine, and where, is not known
      memory.look_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    return OnOverrun(fence, index);
  }
  if (permitted && now() >= hand_over) {
    if (now() < start && Overtakes(fence, index)) {
      Wait(fence);
      memory.look_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    if (before(memory.retry_at)) return;
    // A start later than promise and booking allow is handled as a move (H15, H16), not as a late
    // start. The site waits for half of the slack at most: the driver needs the other half.
    const Span wait = PermitWait(hold);
    Moment by = ToMoment(hold.start + demand.offset + wait + Span{1});
    if (wait == Span{0})
      by.milliseconds += ToBootSpan(options().facts.start_slack).milliseconds / 2;
    if (OneMember(hold) && !HasStarted(hold) && now() >= by) {
      if (WhyBlind()) {
        memory.retry_at[index] = {now().milliseconds + kPortsPause.milliseconds};
        return;
      }
      return MoveForCause(fence, memory.late.value_or(Own(schemas::CauseCode::kSiteDown)), false);
    }
    if (!ReservationIsOpen(hold)) {  // opening the reservation touches this hold
      memory.late = Own(schemas::CauseCode::kNoPermit);
      memory.look_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    if (!HasItsWalls(hold)) {  // the answer touches this hold
      const bool blind = WasBlindSince(hold.start - options().facts.start_ahead);
      memory.late = Own(blind ? schemas::CauseCode::kSiteDown : schemas::CauseCode::kLocal);
      memory.look_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    if (!TakePorts(records().Edit(fence).parts)) {
      memory.late = Own(schemas::CauseCode::kLate);
      memory.retry_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    StartPart(fence, index);
  } else if (part.state == PartState::kBooked) {
    SetPart(fence, index, NextPart(part.state, PartEvent::kNodesClean), now());
  }
}

// STARTING and the token are in this turn's batch; the driver command follows the batch.
void HoldProgress::StartPart(const Fence& fence, uint32_t index) {
  StayWhereItIs(fence);
  Live& memory = Memory(fence);
  if (memory.late && memory.late->code == schemas::CauseCode::kLocal) memory.late.reset();
  HoldRecord& hold = records().Edit(fence);
  PartRecord& part = PartOf(hold, index);
  const auto step = NextPart(part.state, PartEvent::kDue);
  ++part.tries;
  part.token = ToText(fence) + "." + std::to_string(index) + "." + std::to_string(part.tries);
  part.end = {};
  SetPart(fence, index, step, now());
  const schemas::PartDemand& demand = DemandOf(hold, index);
  Drive(driver::StartPart{
      .token = part.token,
      .part_name = PartFolder(hold.order, index),
      .user = hold.order.requester.user,
      .payload = hold.order.payload,
      .environment = PartEnvironment(options().name, hold, part, std::max(now_floor(), hold.start)),
      .place = options().facts.shared ? Blocking(demand, part.place) : part.place,
      .jobwide = demand.jobwide,
      .secret = hold.permit->secret,
      .not_before = hold.start + demand.offset,
      .not_after = hold.permit->last_start + demand.offset,
      .wall = WallFor(hold, index),
      .walltime = RunTime(hold, index),
      .notice = hold.order.notice});
}

void HoldProgress::FailPart(const Fence& fence, uint32_t index, std::string why) {
  HoldRecord& hold = records().Edit(fence);
  PartRecord& part = PartOf(hold, index);
  MUSTER_CHECK(WaitsToStart(part.state));
  part.end = {.by = schemas::EndedBy::kFailedToStart, .text = std::move(why)};
  planner().FreePartFrom(fence, index, now_floor());
  SomethingIsFree();
  SetPart(fence, index,
          {verifier::PartRow::kEnded,
           PartState::kEnded,
           {.write = true, .report = true, .final_usage = true}},
          now());
}

// First books the predecessors for longer, so that the plan knows they are still there; then moves
// the hold. The cause names one that should have ended.
void HoldProgress::OnOverrun(const Fence& fence, uint32_t index) {
  const Moment again{now().milliseconds + kOverrunLook.milliseconds};
  Memory(fence).look_at[index] = again;
  const schemas::PartPlace place = PartOf(*ledger().Find(fence), index).place;
  std::string job;
  for (const PartKey& other : PartsOn(place)) {
    if (other.first == fence) continue;
    ExtendBooking(other);
    if (PlannedEnd(other) > now_floor() + Span{1}) continue;
    job = PartName(ledger().Find(other.first)->order, other.second);
  }
  schemas::Cause cause = Own(CauseCode::kOverrun, place.chunks.empty() ? "" : place.chunks[0].node);
  cause.subject.job = std::move(job);
  if (HasStarted(*ledger().Find(fence)))
    return;  // other parts of the hold have started: this one waits until its last start
  MoveForCause(fence, std::move(cause), false);
}

Instant HoldProgress::PlannedEnd(const PartKey& part) const {
  const HoldRecord& hold = *ledger().Find(part.first);
  if (CanBeRecalled(hold)) return now_floor();  // it should be gone: others are due
  const schemas::PartDemand& demand = DemandOf(hold, part.second);
  return hold.start + demand.offset + RunTime(hold, part.second) + demand.tail;
}

void HoldProgress::ExtendBooking(const PartKey& part) {
  const HoldRecord& hold = *ledger().Find(part.first);
  if (CanBeRecalled(hold)) {
    const Instant end = plan().EndOf(RoomOf(part.first), part.second);
    if (end <= now_floor() + Span{1}) Roll(part.first, now_floor() + kOverrunBooked);
    return;
  }
  Instant& until = Memory(part.first).booked_until[part.second];
  if (std::max(until, PlannedEnd(part)) > now_floor() + Span{1}) return;
  until = now_floor() + kOverrunBooked;
  planner().Free(part.first);
  RestoreBooking(hold);
}

// A reservation opens at its start and ends at its planned end; no process reports either.
void HoldProgress::AdvanceReservation(const Fence& fence, uint32_t index) {
  const HoldRecord& hold = *ledger().Find(fence);
  const PartRecord& part = PartOf(hold, index);
  const Moment start = ToMoment(hold.start + DemandOf(hold, index).offset);
  if (WaitsToStart(part.state)) {
    if (hold.state != HoldState::kPermitted || now() < start) {
      // A co-allocated reservation reports ready as jobs do: all of its sites open, or none (C8).
      const bool tells =
          part.state == PartState::kBooked && !OneMember(hold) && now() >= ReadyAt(start);
      if (tells) SetPart(fence, index, NextPart(part.state, PartEvent::kNodesClean), now());
      return;
    }
    SetPart(fence, index, NextPart(part.state, PartEvent::kDue), now());
    SetPart(fence, index, NextPart(part.state, PartEvent::kStarted), now());
    for (const Fence& inside : InsideOf(hold.order.request)) Touch(inside);
  }
  const Moment end{start.milliseconds + ToBootSpan(RunTime(hold, index)).milliseconds};
  if (part.state == PartState::kRunning && now() >= end) {
    EndReserved(fence, index, {.by = schemas::EndedBy::kExit, .exit_code = 0});
  }
}

std::optional<Moment> HoldProgress::NextOfReservation(const HoldRecord& hold, size_t at) const {
  const PartRecord& part = hold.parts[at];
  if (part.state == PartState::kEnded) return std::nullopt;
  const Moment start = ToMoment(hold.start + DemandOf(hold, part.index).offset);
  if (WaitsToStart(part.state)) {
    if (!OneMember(hold) && ReadyAt(start) > now()) return ReadyAt(start);
    return start > now() ? std::optional(start) : std::nullopt;
  }
  return Moment{start.milliseconds + ToBootSpan(RunTime(hold, part.index)).milliseconds};
}

std::optional<Moment> HoldProgress::NextOfPart(const HoldRecord& hold, size_t at) const {
  const PartRecord& part = hold.parts[at];
  if (Reserves(hold)) return NextOfReservation(hold, at);
  if (!WaitsToStart(part.state) || IsStopping(hold)) return std::nullopt;
  const schemas::PartDemand& demand = DemandOf(hold, part.index);
  const Moment start = ToMoment(hold.start + demand.offset);
  std::vector<Moment> candidates = {ReadyAt(start), start};
  candidates.push_back({start.milliseconds - ToBootSpan(options().facts.start_ahead).milliseconds});
  const bool unclean = waiting().contains(hold.order.fence);
  if (unclean) candidates.push_back(OverdueAt(hold, start));
  if (hold.permit) candidates.push_back(After(hold.permit->last_start + demand.offset));
  if (const auto it = live().find(hold.order.fence); it != live().end()) {
    for (const auto* times : {&it->second.retry_at, &it->second.look_at}) {
      const auto again = times->find(part.index);
      if (again != times->end()) candidates.push_back(again->second);
    }
  }
  std::optional<Moment> next;
  for (const Moment candidate : candidates) {
    if (candidate > now() && (!next || candidate < *next)) next = candidate;
  }
  return next;
}

void HoldProgress::Schedule(const Fence& fence) {
  const HoldRecord& hold = *ledger().Find(fence);
  std::optional<BootInstant> boot;
  std::optional<Moment> plan_time;
  if (hold.state == HoldState::kHeld) boot = hold.lease->boot;
  if (hold.state == HoldState::kPrepared || hold.state == HoldState::kCommitted) {
    boot = hold.deadline->boot;
  }
  if (hold.state >= HoldState::kCommitted) {
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      const auto next = NextOfPart(hold, i);
      if (next && (!plan_time || *next < *plan_time)) plan_time = next;
    }
    const auto next = NextTimeOut(hold);
    if (next && (!plan_time || *next < *plan_time)) plan_time = next;
  }
  timers().Set(fence, boot, plan_time);
}

}  // namespace muster::site
