// How a booking moves and ends. protocol.md sections 3.1, 4, 5; scheduling.md section 5 (revoke
// one, plan it, keep the better).
#include "site/holds/rebooking.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "verifier/start_notice.h"

namespace muster::site {

using schemas::CauseCode;
using schemas::ClosedAs;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartRecord;
using schemas::PartState;
using schemas::VerdictEntry;
using verifier::Booked;
using verifier::HoldEvent;
using verifier::HoldRow;
using verifier::PartEvent;

// Parts that were READY, or whose place changed, are BOOKED again and have to become ready anew.
void Rebooking::Remap(const Fence& fence, const Booked& booked) {
  HoldRecord& hold = records().Edit(fence);
  MUSTER_CHECK(booked.places.size() == hold.parts.size());
  hold.start = booked.start;
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    PartRecord& part = hold.parts[i];
    schemas::PartPlace place = booked.places[i];
    place.index = part.index;
    const bool other = place != part.place;
    part.place = std::move(place);
    if (hold.state < HoldState::kCommitted) continue;
    if (part.state == PartState::kReady || other) {
      SetPart(fence, part.index, NextPart(part.state, verifier::PartEvent::kNodeLost), now());
    }
  }
  if (Reserves(hold)) OpenSystem(fence);
}

void Rebooking::MoveForCause(const Fence& fence, schemas::Cause cause, bool places_lost) {
  StayWhereItIs(fence);
  const HoldRecord& hold = *ledger().Find(fence);
  const Instant old_start = hold.start;
  const Instant now_at = now_floor();
  verifier::HoldGuards guards = GuardsOf(hold);
  std::optional<Booked> booked;
  std::optional<VerdictEntry> refusal;
  auto rebook = [&](const IntervalSet& allowed) {
    auto answer = planner().Rebook(fence, allowed, now_at);
    if (auto* b = std::get_if<Booked>(&answer)) booked = std::move(*b);
    if (auto* r = std::get_if<VerdictEntry>(&answer)) refusal = std::move(*r);
  };
  if (old_start >= now_at) rebook(IntervalSet::Only(old_start));
  const bool lost = places_lost && cause.code == CauseCode::kNodeLost;
  if (!booked && lost && old_start >= now_at) booked = Displace(fence, cause);
  guards.same_start_fits = booked.has_value();
  if (!booked && !guards.one_member && !places_lost) guards.same_start_fits = true;
  if (!guards.same_start_fits && guards.one_member) {
    const auto& allowed = hold.order.allowed.intervals();
    const Instant end = hold.permit       ? hold.permit->last_start + Span{1}
                        : allowed.empty() ? old_start + Span{1}
                                          : allowed.back().end;
    const Instant from = std::max(now_at, old_start);
    if (from < end) rebook(IntervalSet({{from, end}}));
    guards.later_start_fits = booked.has_value();
  }
  const auto step = NextHold(hold.state, HoldEvent::kSiteCause, guards);
  if (step.effects.present) return;
  if (step.row == HoldRow::kH14) {
    if (!booked) return;
    Remap(fence, *booked);
    return SomethingIsFree();  // its old place is free
  }
  if (step.row == HoldRow::kH16) {
    return Drop(fence, std::move(cause), refusal ? refusal->starts : IntervalSet());
  }
  MoveLater(fence, *booked, std::move(cause));
}

// H15. REQUIRES: the plan has the hold at `booked` already.
void Rebooking::MoveLater(const Fence& fence, const Booked& booked, schemas::Cause cause) {
  const Instant old_start = ledger().Find(fence)->start;
  Remap(fence, booked);
  // While its start was retried its booking grew; at the new start it is as long as planned again.
  if (Live& memory = Memory(fence); !memory.booked_until.empty()) {
    memory.booked_until.clear();
    planner().Free(fence);
    RestoreBooking(*ledger().Find(fence));
  }
  SomethingIsFree();  // its old place is free
  HoldRecord& edited = records().Edit(fence);
  edited.cause = cause;
  ArmDeadline(edited);
  Report(fence, schemas::Moved{.old_start = old_start,
                               .new_start = edited.start,
                               .deadline = edited.deadline->wall,
                               .cause = std::move(cause)});
  Touch(fence);
  movable().singles().Freed(plan().revision());
}

void Rebooking::Drop(const Fence& fence, schemas::Cause cause, const IntervalSet& starts) {
  const HoldRecord& hold = *ledger().Find(fence);
  const auto step = NextHold(hold.state, HoldEvent::kSiteCause, {});
  MUSTER_CHECK(step.row == HoldRow::kH16);
  if (IsLent(hold)) {
    records().Edit(fence).closed_as = step.closed_as;
    return StopParts(fence, cause);
  }
  Report(fence, schemas::Moved{.old_start = hold.start,
                               .new_start = hold.start,
                               .cause = cause,
                               .starts = starts.FirstIntervals(schemas::kStartIntervals)});
  Close(fence, step.closed_as, std::move(cause));
}

void Rebooking::MoveEarlier(const Fence& fence, const Booked& booked) {
  if (!AskToMove(fence, booked)) MoveNow(fence, booked);
}

void Rebooking::MoveNow(const Fence& fence, const Booked& booked) {
  const HoldRecord& hold = *ledger().Find(fence);
  const Instant old_start = hold.start;
  verifier::HoldGuards guards = GuardsOf(hold);
  guards.not_before_earliest = booked.start >= verifier::EarliestMove(hold, now());
  const auto step = NextHold(hold.state, HoldEvent::kEarlierSlot, guards);
  MUSTER_CHECK(step.row == HoldRow::kH17 && booked.start < old_start);
  Remap(fence, booked);
  movable().RoomMoved();
  HoldRecord& edited = records().Edit(fence);
  // An earlier cause stays on record: it explains the present promise.
  if (edited.cause.code == CauseCode::kNone) edited.cause = Own(CauseCode::kBackfilled);
  ArmDeadline(edited);
  Report(fence, schemas::Moved{.old_start = old_start,
                               .new_start = edited.start,
                               .deadline = edited.deadline->wall,
                               .cause = Own(CauseCode::kBackfilled)});
  Touch(fence);
}

void Rebooking::Follow(const Fence& fence, const Booked& booked) {
  const HoldRecord& hold = *ledger().Find(fence);
  if (booked.start < hold.start) return MoveEarlier(fence, booked);
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    schemas::PartPlace place = booked.places[i];
    place.index = hold.parts[i].index;
    if (place == hold.parts[i].place) continue;
    Remap(fence, booked);
    Touch(fence);
    return;
  }
}

// Books the hold at its promised start by displacing less urgent ones. Each of these keeps its
// start if it can (H14); else it starts later (H15) or is dropped (H16), with the cause kPreempted.
// Changes nothing unless the hold gets its start.
std::optional<Booked> Rebooking::Displace(const Fence& fence, const schemas::Cause& cause) {
  SitePlanner trial = plan();
  const IntervalSet promised = IntervalSet::Only(ledger().Find(fence)->start);
  std::optional<Booked> kept;
  std::vector<Fence> freed;
  for (const Fence& other : LessUrgent(fence)) {
    trial.Free(other);
    freed.push_back(other);
    auto answer = trial.Rebook(fence, promised, now_floor());
    if (auto* booked = std::get_if<Booked>(&answer)) {
      kept = std::move(*booked);
      break;
    }
  }
  if (!kept) return std::nullopt;
  planner() = std::move(trial);
  schemas::Cause preempted = Own(CauseCode::kPreempted, cause.subject.node);
  preempted.subject.job = LabelOf(ledger().Find(fence)->order);
  for (auto other = freed.rbegin(); other != freed.rend(); ++other) {
    const HoldRecord& hold = *ledger().Find(*other);
    verifier::Demand demand = DemandNow(hold);
    demand.allowed = IntervalSet::Only(hold.start);
    auto answer = planner().Book(*other, demand, now_floor(), std::nullopt);
    if (const auto* same = std::get_if<Booked>(&answer)) {
      Follow(*other, *same);
      continue;
    }
    const auto& allowed = hold.order.allowed.intervals();
    const Instant last = hold.permit       ? hold.permit->last_start + Span{1}
                         : allowed.empty() ? hold.start
                                           : allowed.back().end;
    const Instant from = std::max(hold.start, now_floor());
    if (from < last) {
      demand.allowed = IntervalSet({{from, last}});
      answer = planner().Book(*other, demand, now_floor(), std::nullopt);
      if (const auto* later = std::get_if<Booked>(&answer)) {
        MoveLater(*other, *later, preempted);
        continue;
      }
    }
    Drop(*other, preempted, std::get<schemas::VerdictEntry>(answer).starts);
  }
  return kept;
}

void Rebooking::Close(const Fence& fence, ClosedAs as, schemas::Cause cause) {
  StayWhereItIs(fence);
  HoldRecord& hold = records().Edit(fence);
  hold.closed_as = as;
  hold.cause = std::move(cause);
  hold.lease.reset();
  for (const PartRecord& part : hold.parts) {
    MUSTER_CHECK(!verifier::MayHaveProcesses(part.state) && !part.loan);
    GiveBackPort(part.rendezvous);
  }
  records().SetState(fence, HoldState::kClosed);
  // Ended parts gave their resources back when they ended: closing frees nothing more.
  const bool ended = std::all_of(hold.parts.begin(), hold.parts.end(),
                                 [](const PartRecord& part) { return part.ended_at.has_value(); });
  const PlanRevision before = plan().revision();
  planner().Free(fence);
  if (ended) movable().singles().Renamed(before, plan().revision());
  ReportHold(fence);
  if (Reserves(hold)) CloseSystem(hold, hold.closed_as == ClosedAs::kEnded);
  ForgetLive(hold);
  SomethingIsFree();
}

void Rebooking::StopParts(const Fence& fence, const schemas::Cause& cause) {
  StayWhereItIs(fence);
  records().Edit(fence).cause = cause;
  std::vector<uint32_t> indexes;
  for (const PartRecord& part : ledger().Find(fence)->parts) indexes.push_back(part.index);
  for (uint32_t index : indexes) {
    PartRecord& part = PartOf(records().Edit(fence), index);
    if (part.loan) {
      ReleaseLoan(fence);
      continue;
    }
    if (WaitsToStart(part.state)) {
      part.end.by = schemas::EndedBy::kRelease;
      SetPart(fence, index,
              {verifier::PartRow::kEnded,
               PartState::kEnded,
               {.write = true, .report = true, .final_usage = true}},
              now());
      continue;
    }
    if (part.state == PartState::kEnded) continue;
    if (Reserves(*ledger().Find(fence))) {
      EndReserved(fence, index, {.by = schemas::EndedBy::kRelease});
      continue;
    }
    const auto step = NextPart(part.state, PartEvent::kEndInSight);
    if (step.row != verifier::PartRow::kNone) SetPart(fence, index, step, now());
    Drive(driver::StopPart{.token = part.token});
  }
  Touch(fence);
}

}  // namespace muster::site
