// What time makes due in one hold and its parts: leases, D, last starts, ready, start, the close at
// the end. protocol.md sections 3.1 (H8, H11, H13, H18, H19), 3.3, 4.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/planning/environment.h"
#include "site/state.h"

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

// The first instant after a last start.
Moment After(Instant last_start) { return {ToMoment(last_start).milliseconds + 1}; }

bool WaitsToStart(PartState state) {
  return state == PartState::kBooked || state == PartState::kReady;
}

}  // namespace

schemas::PartBooking BookingOf(const PartRecord& part) {
  return {.index = part.index,
          .nodes = NodesOf(part.place),
          .rendezvous = part.rendezvous,
          .extended = part.extended,
          .counts = part.counts};
}

const schemas::PartDemand& DemandOf(const HoldRecord& hold, uint32_t index) {
  const auto it = std::find_if(hold.order.parts.begin(), hold.order.parts.end(),
                               [&](const auto& demand) { return demand.index == index; });
  MUSTER_CHECK(it != hold.order.parts.end());
  return *it;
}
const PartRecord& PartOf(const HoldRecord& hold, uint32_t index) {
  const auto it = std::find_if(hold.parts.begin(), hold.parts.end(),
                               [&](const auto& part) { return part.index == index; });
  MUSTER_CHECK(it != hold.parts.end());
  return *it;
}
PartRecord& PartOf(HoldRecord& hold, uint32_t index) {
  return const_cast<PartRecord&>(PartOf(std::as_const(hold), index));
}
Span RunTime(const HoldRecord& hold, uint32_t index) {
  return DemandOf(hold, index).duration + PartOf(hold, index).extended;
}
bool OneMember(const HoldRecord& hold) { return hold.order.members.size() == 1; }
Span PermitWait(const HoldRecord& hold) {
  return hold.order.parts.empty() ? Span{0} : hold.order.parts.front().tail;
}
bool HasStarted(const HoldRecord& hold) {
  return std::any_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return !WaitsToStart(part.state); });
}
bool AllEnded(const HoldRecord& hold) {
  return !hold.parts.empty() &&
         std::all_of(hold.parts.begin(), hold.parts.end(),
                     [](const auto& part) { return part.state == PartState::kEnded; });
}
bool IsLive(const HoldRecord& hold) {
  return hold.state != HoldState::kNone && hold.state != HoldState::kClosed;
}
bool IsStopping(const HoldRecord& hold) {
  return hold.state == HoldState::kPermitted && hold.closed_as != ClosedAs::kNotClosed;
}

schemas::HoldChanged HoldChangedOf(const HoldRecord& hold) {
  schemas::HoldChanged changed{.state = hold.state,
                               .request = hold.order.request,
                               .cause = hold.cause,
                               .start = hold.start,
                               .started = hold.started};
  if (hold.state == HoldState::kClosed) changed.closed_as = hold.closed_as;
  if (hold.deadline) changed.deadline = hold.deadline->wall;
  for (const PartRecord& part : hold.parts) changed.parts.push_back(BookingOf(part));
  return changed;
}

void Core::State::ReportHold(const Fence& fence) {
  Report(fence, HoldChangedOf(*ledger.Find(fence)));
  IndexMovable(fence);
}

// Which lists of candidates a hold is in: earlier by the site (H17), earlier jointly (offers).
void Core::State::IndexMovable(const Fence& fence) {
  const HoldRecord* hold = ledger.Find(fence);
  const bool bound = hold != nullptr && !HasStarted(*hold) && !hold->parts.empty() &&
                     (hold->state == HoldState::kCommitted || hold->state == HoldState::kPermitted);
  if (bound && OneMember(*hold)) {
    backfilling.Enter(hold->order);
  } else {
    backfilling.Leave(fence);
  }
  if (bound && !OneMember(*hold) && hold->state == HoldState::kCommitted) {
    joint.insert(fence);
  } else {
    joint.erase(fence);
  }
}

// Frees the booking, gives back ports, reports. Processes must be gone.
void Core::State::Close(const Fence& fence, ClosedAs as, schemas::Cause cause) {
  HoldRecord& hold = ledger.Edit(fence);
  hold.closed_as = as;
  hold.cause = std::move(cause);
  hold.lease.reset();
  for (const PartRecord& part : hold.parts) {
    MUSTER_CHECK(!verifier::MayHaveProcesses(part.state));
    ports.GiveBack(part.rendezvous);
    if (part.state == PartState::kReady && !OneMember(hold)) --ready_of_several;
  }
  ledger.SetState(fence, HoldState::kClosed);
  // What has ended was given back then.
  const bool ended = std::all_of(hold.parts.begin(), hold.parts.end(),
                                 [](const PartRecord& part) { return part.ended_at.has_value(); });
  const PlanRevision before = plan.revision();
  plan.Free(fence);
  if (ended) backfilling.Renamed(before, plan.revision());
  ReportHold(fence);
  if (Reserves(hold)) CloseSystem(hold, hold.closed_as == ClosedAs::kEnded);
  agenda.Clear(fence);
  live.erase(fence);
  waiting_for_nodes.erase(fence);
  SomethingIsFree();
}

// The one place where a part's state changes: record, report, what is on the nodes, counters.
void Core::State::SetPart(const Fence& fence, uint32_t index, const verifier::PartStep& step,
                          Moment at) {
  HoldRecord& hold = ledger.Edit(fence);
  PartRecord& part = PartOf(hold, index);
  const PartState before = part.state;
  const bool several = !OneMember(hold);
  if (several && before == PartState::kReady) --ready_of_several;
  if (several && step.next == PartState::kReady) ++ready_of_several;
  const bool was = verifier::MayHaveProcesses(before) && !Reserves(hold);
  const bool is = verifier::MayHaveProcesses(step.next) && !Reserves(hold);
  if (!was && is) {
    node_use.Enter({fence, index}, part.place, DemandOf(hold, index).exclusive);
    tokens[part.token] = {fence, index};
  } else if (was && !is) {
    node_use.Leave({fence, index});
    tokens.erase(part.token);
    touched.insert(waiting_for_nodes.begin(), waiting_for_nodes.end());
  }
  part.state = step.next;
  Live& memory = live[fence];
  memory.changing_since.erase(index);
  if (step.next == PartState::kStarting || step.next == PartState::kEnding) {
    memory.changing_since[index] = now();
  } else {
    nodes_may_be_back = true;
  }
  if (step.next == PartState::kRunning && !part.started_at) part.started_at = at;
  if (step.next == PartState::kEnded) part.ended_at = at;
  if (step.effects.started_yes) hold.started = schemas::Started::kYes;
  if (step.effects.started_unknown && hold.started == schemas::Started::kNo) {
    hold.started = schemas::Started::kUnknown;
  }
  if (step.effects.final_usage) {
    part.usage_final = true;
    Report(fence, schemas::UsageChanged{.index = index, .usage = part.usage, .final = true});
  }
  if (step.effects.report) {
    Report(fence, schemas::PartChanged{.index = index,
                                       .state = part.state,
                                       .at = at,
                                       .booking = BookingOf(part),
                                       .end = part.end});
  }
  IndexMovable(fence);
  touched.insert(fence);
}

// When unclean nodes become a cause. One member may use the slack its promise has; several look for
// other nodes while their start can still be planned.
Moment Core::State::OverdueAt(const HoldRecord& hold, Moment start) const {
  if (!OneMember(hold)) return start;
  return {start.milliseconds + ToBootSpan(options.start_slack).milliseconds};
}

// True if the hold is closed now, or has nothing left to be started.
bool Core::State::CloseIfPast(const Fence& fence) {
  const HoldRecord& hold = *ledger.Find(fence);
  if (hold.state == HoldState::kHeld && turn.boot >= hold.lease->boot) {
    const auto step = NextHold(hold.state, HoldEvent::kLeaseEnds, {});  // H8
    Close(fence, step.closed_as, {.code = CauseCode::kNone, .who = Own({}).who});
    return true;
  }
  const bool unpermitted =
      hold.state == HoldState::kPrepared || hold.state == HoldState::kCommitted;
  if (unpermitted && turn.boot >= hold.deadline->boot) {
    const auto step = NextHold(hold.state, HoldEvent::kDeadlinePasses, {});  // H11
    Close(fence, step.closed_as, Own(CauseCode::kNoPermit));
    return true;
  }
  if (hold.state != HoldState::kPermitted) return false;
  if (AllEnded(hold)) {  // H19, or the end of H13
    const auto step = NextHold(hold.state, HoldEvent::kAllPartsEnded, {});
    const bool released = IsStopping(hold);
    Close(fence, released ? hold.closed_as : step.closed_as,
          released ? hold.cause : schemas::Cause{.who = Own({}).who});
    return true;
  }
  if (HasStarted(hold)) return false;
  Span first = DemandOf(hold, hold.parts.front().index).offset;
  for (const PartRecord& part : hold.parts) {
    first = std::min(first, DemandOf(hold, part.index).offset);
  }
  if (now() < After(hold.permit->last_start + first)) return false;
  const auto step = NextHold(hold.state, HoldEvent::kLastStartPasses, {});  // H18
  Close(fence, step.closed_as, Own(CauseCode::kLate));
  return true;
}

void Core::State::Advance(const Fence& fence) {
  const HoldRecord* hold = ledger.Find(fence);
  if (hold == nullptr || !IsLive(*hold) || CloseIfPast(fence)) {
    agenda.Clear(fence);
    return;
  }
  TimeOuts(fence);
  if (hold->state >= HoldState::kCommitted && !IsStopping(*hold)) {
    waiting_for_nodes.erase(fence);
    for (size_t i = 0; i < hold->parts.size(); ++i) {
      AdvancePart(fence, hold->parts[i].index);
      hold = ledger.Find(fence);  // an overrun may have closed it
      if (!IsLive(*hold)) return;
    }
  }
  Schedule(fence);
}

void Core::State::AdvancePart(const Fence& fence, uint32_t index) {
  const HoldRecord& hold = *ledger.Find(fence);
  const PartRecord& part = PartOf(hold, index);
  if (Reserves(hold)) return AdvanceReservation(fence, index);
  if (!WaitsToStart(part.state)) return;
  const schemas::PartDemand& demand = DemandOf(hold, index);
  const Moment start = ToMoment(hold.start + demand.offset);
  const Moment ready{start.milliseconds - values().lead.milliseconds};
  if (now() < ready) return;
  const bool permitted = hold.state == HoldState::kPermitted;
  if (permitted && now() >= After(hold.permit->last_start + demand.offset)) {
    // The hold has started (else H18): this part alone is too late.
    return FailPart(fence, index, "not started by its last start");
  }
  const auto before = [&](const std::map<uint32_t, Moment>& times) {
    const auto it = times.find(index);
    return it != times.end() && now() < it->second;
  };
  Live& memory = live[fence];
  if (!node_use.Clean(part.place, demand.exclusive)) {
    waiting_for_nodes.insert(fence);
    // What its node has no more cannot be waited for.
    if (!node_use.Exists(part.place) && !HasStarted(hold)) {
      return MoveForCause(fence, LostOf(Strandings(options).TooLarge(part)), true);
    }
    const bool overdue = now() >= OverdueAt(hold, start);
    if (overdue && !before(memory.look_at)) OnOverrun(fence, index);
    return;
  }
  if (permitted && now() >= start) {
    if (before(memory.retry_at)) return;
    // A start later than the promise and the booking allow is a move (H15, H16), never just late.
    // Half of the slack of both is left to the driver.
    const Span wait = PermitWait(hold);
    Moment by = ToMoment(hold.start + demand.offset + wait + Span{1});
    if (wait == Span{0}) by.milliseconds += ToBootSpan(options.start_slack).milliseconds / 2;
    if (OneMember(hold) && !HasStarted(hold) && now() >= by) {
      return MoveForCause(fence, Own(memory.late_cause), false);
    }
    if (!ReservationIsOpen(hold)) {  // opening it touches this one
      memory.late_cause = schemas::CauseCode::kNoPermit;
      memory.look_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    if (!TakePorts(ledger.Edit(fence).parts)) {
      memory.late_cause = schemas::CauseCode::kLate;
      memory.retry_at[index] = {now().milliseconds + kPortsPause.milliseconds};
      return;
    }
    StartPart(fence, index);
  } else if (part.state == PartState::kBooked) {
    SetPart(fence, index, NextPart(part.state, PartEvent::kNodesClean), now());
  }
}

// All or none; those that have one keep it.
bool Core::State::TakePorts(std::vector<PartRecord>& parts) {
  std::vector<PartRecord*> given;
  for (PartRecord& part : parts) {
    if (!part.rendezvous.empty()) continue;
    const std::optional<std::string> port = ports.Take();
    if (!port) {
      for (PartRecord* other : given) {
        ports.GiveBack(other->rendezvous);
        other->rendezvous.clear();
      }
      return false;
    }
    part.rendezvous = *port;
    given.push_back(&part);
  }
  return true;
}

// STARTING and the token are in this turn's batch; the driver is told after it.
void Core::State::StartPart(const Fence& fence, uint32_t index) {
  HoldRecord& hold = ledger.Edit(fence);
  PartRecord& part = PartOf(hold, index);
  const auto step = NextPart(part.state, PartEvent::kDue);
  ++part.tries;
  part.token = ToText(fence) + "." + std::to_string(index) + "." + std::to_string(part.tries);
  part.end = {};
  SetPart(fence, index, step, now());
  const schemas::PartDemand& demand = DemandOf(hold, index);
  effects.driver.push_back(
      driver::StartPart{.token = part.token,
                        .part_name = PartFolder(hold.order, index),
                        .user = hold.order.requester.user,
                        .payload = hold.order.payload,
                        .environment = PartEnvironment(options.name, hold, part, now_floor()),
                        .place = part.place,
                        .secret = hold.permit->secret,
                        .not_after = hold.permit->last_start + demand.offset,
                        .walltime = demand.duration,
                        .notice = hold.order.notice});
}

// A part that will never run while others of its hold do or did.
void Core::State::FailPart(const Fence& fence, uint32_t index, std::string why) {
  HoldRecord& hold = ledger.Edit(fence);
  PartRecord& part = PartOf(hold, index);
  MUSTER_CHECK(WaitsToStart(part.state));
  part.end = {.by = schemas::EndedBy::kFailedToStart, .text = std::move(why)};
  plan.FreePartFrom(fence, index, now_floor());
  SetPart(fence, index,
          {verifier::PartRow::kEnded,
           PartState::kEnded,
           {.write = true, .report = true, .final_usage = true}},
          now());
}

// H13: what runs is stopped, what does not run yet never will.
void Core::State::StopParts(const Fence& fence, const schemas::Cause& cause) {
  ledger.Edit(fence).cause = cause;
  std::vector<uint32_t> indexes;
  for (const PartRecord& part : ledger.Find(fence)->parts) indexes.push_back(part.index);
  for (uint32_t index : indexes) {
    PartRecord& part = PartOf(ledger.Edit(fence), index);
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
    if (Reserves(*ledger.Find(fence))) {
      EndReserved(fence, index, {.by = schemas::EndedBy::kRelease});
      continue;
    }
    const auto step = NextPart(part.state, PartEvent::kEndInSight);
    if (step.row != verifier::PartRow::kNone) SetPart(fence, index, step, now());
    effects.driver.push_back(driver::StopPart{.token = part.token});
  }
  touched.insert(fence);
}

std::optional<Moment> Core::State::NextOfPart(const HoldRecord& hold, size_t at) const {
  const PartRecord& part = hold.parts[at];
  if (Reserves(hold)) return NextOfReservation(hold, at);
  if (!WaitsToStart(part.state) || IsStopping(hold)) return std::nullopt;
  const schemas::PartDemand& demand = DemandOf(hold, part.index);
  const Moment start = ToMoment(hold.start + demand.offset);
  std::vector<Moment> candidates = {Moment{start.milliseconds - values().lead.milliseconds}, start};
  const bool unclean = waiting_for_nodes.contains(hold.order.fence);
  if (unclean) candidates.push_back(OverdueAt(hold, start));
  if (hold.permit) candidates.push_back(After(hold.permit->last_start + demand.offset));
  if (const auto it = live.find(hold.order.fence); it != live.end()) {
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

void Core::State::Schedule(const Fence& fence) {
  const HoldRecord& hold = *ledger.Find(fence);
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
  agenda.Set(fence, boot, plan_time);
}

}  // namespace muster::site
