// Handles the driver's events about parts. protocol.md section 3.3.
#include "site/holds/driver_events.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"

namespace muster::site {

using schemas::HoldRecord;
using schemas::PartRecord;
using schemas::PartState;
using verifier::LoanEvent;
using verifier::PartEvent;
using verifier::PartRow;

namespace {

constexpr uint32_t kStartTries = 3;           // tries of one part; then H16
constexpr BootSpan kLentAgain = Seconds(60);  // after a failed start on lent room, until the next

// Whether a life on lent room ended by itself, or because it was told to.
LoanEvent LoanEnd(const driver::PartEnded& end, LoanEvent by_itself, LoanEvent stopped) {
  return end.end.by == schemas::EndedBy::kRelease ? stopped : by_itself;
}

}  // namespace

// The driver is asked even if there are no tokens: from then on a token without a trace provably
// never ran. A driver that cannot find parts lost them all with the last daemon, and nobody can
// tell how they ended.
void DriverEvents::FindTokens() {
  for (const auto& [token, _] : tokens()) finding_.insert(token);
  if (options().facts.finds_parts) {
    Drive(driver::FindParts{{finding_.begin(), finding_.end()}});
    // Before anything starts on the cores that a paused part left: its last word may be lost.
    for (const auto& [fence, room] : rooms()) TellPauseAgain(fence);
    return;
  }
  const std::set<std::string> lost = finding_;
  for (const std::string& token : lost) On(driver::PartFound{.token = token});
}

void DriverEvents::On(const driver::PartStarted& event) {
  const PartKey* found = ByToken(event.token);
  if (found == nullptr) return;
  const PartKey part = *found;
  HoldRecord& hold = records().Edit(part.first);
  PartRecord& record = PartOf(hold, part.second);
  if (record.loan) return LoanBegan(part.first, LoanEvent::kStarted, event.at);
  const schemas::PartDemand& demand = DemandOf(hold, part.second);
  const auto step = NextPart(record.state, PartEvent::kStarted);
  if (step.row == PartRow::kNone) {
    // Released while STARTING: it is already being stopped, but it did run, and that counts.
    if (record.started_at) return;
    record.started_at = event.at;
    hold.started = schemas::Started::kYes;
    Report(part.first, ChangeOf(record, now()));
    return;
  }
  SetPart(part.first, part.second, step, event.at);
  BeganLate(part, Slowness(*ledger().Find(part.first)));
  const Instant not_after = hold.permit->last_start + demand.offset;
  if (event.at >= ToMoment(not_after + Span{1})) {
    Note("part " + PartName(hold.order, part.second) +
         " started after its last start; it is stopped");
    Drive(driver::StopPart{.token = event.token});
  }
  if (demand.tail > Span{0}) {  // the start gives back the tail
    planner().FreePartFrom(part.first, part.second,
                           event.at.Ceiling() + schemas::BookedFor(options().facts.booked_in,
                                                                   RunTime(hold, part.second)));
    SomethingIsFree();
  }
}

void DriverEvents::On(const driver::PartEnding& event) {
  const PartKey* found = ByToken(event.token);
  if (found == nullptr) return;
  const PartKey part = *found;
  const PartRecord& record = PartOf(*ledger().Find(part.first), part.second);
  if (record.loan) return;  // its processes are still there
  const auto step = NextPart(record.state, PartEvent::kEndInSight);
  if (step.row != PartRow::kNone) SetPart(part.first, part.second, step, now());
}

void DriverEvents::On(const driver::PartEnded& event) {
  const PartKey* found = ByToken(event.token);
  if (found == nullptr) return;
  const PartKey part = *found;
  if (PartOf(*ledger().Find(part.first), part.second).loan &&
      !LoanGone(part.first, LoanEnd(event, LoanEvent::kEnded, LoanEvent::kStopped), event)) {
    return;
  }
  EndPart(part, event, PartEvent::kProcessesGone);
}

void DriverEvents::On(const driver::PartNotStarted& event) {
  const PartKey* found = ByToken(event.token);
  if (found == nullptr) return;
  const PartKey part = *found;
  const HoldRecord& hold = *ledger().Find(part.first);
  if (!PartOf(hold, part.second).loan) {
    // Of a shared machine lost nodes are told by themselves.
    const bool shared = options().facts.shared;
    const auto cause = shared ? Slowness(hold) : schemas::CauseCode::kNodeLost;
    return StartFailed(part, event.why, cause, {.late = event.late});
  }
  Note("part " + PartName(hold.order, part.second) + " did not start on lent room: " + event.why);
  Memory(part.first).lent_again = Moment{now().milliseconds + kLentAgain.milliseconds};
  LoanFailed(part, LoanEvent::kNotStarted);
}

// Nothing of the loan ran, so there is no end to take over but that of a released hold.
void DriverEvents::LoanFailed(const PartKey& part, LoanEvent event) {
  driver::PartEnded nothing{.at = now()};
  nothing.end.by = schemas::EndedBy::kRelease;
  if (LoanGone(part.first, event, nothing)) EndPart(part, nothing, PartEvent::kProcessesGone);
}

// Ignores findings that this daemon did not ask for, or has already got: they may be older than a
// start of the same token, which they would undo.
void DriverEvents::On(const driver::PartFound& event) {
  if (finding_.erase(event.token) == 0) {
    Note("the driver found token '" + event.token + "', which was not asked for: ignored");
    return;
  }
  const PartKey* found = ByToken(event.token);
  if (found == nullptr) return;
  const PartKey part = *found;
  HoldRecord& hold = records().Edit(part.first);
  PartRecord& record = PartOf(hold, part.second);
  if (record.loan) return FoundLoan(part, event);
  switch (event.finding) {
    case driver::Finding::kRunning: {
      const auto step = NextPart(record.state, PartEvent::kFoundRunning);
      if (step.next != record.state) {
        SetPart(part.first, part.second, step, event.started_at.value_or(now()));
        if (record.state == PartState::kRunning) {
          BeganLate(part, schemas::CauseCode::kSiteDown);
        }
      }
      // Repeats a stop that was on record before the restart.
      if (record.state == PartState::kEnding && IsStopping(hold)) {
        Drive(driver::StopPart{.token = event.token});
      } else if (record.state == PartState::kEnding && IsRecalled(record)) {
        Drive(driver::StopPart{.token = event.token,
                               .grace = ToBootSpan(hold.order.contract->grace)});
      }
      TellDriverAgain(part);
      return;
    }
    case driver::Finding::kEnded:
      if (!event.ended) break;
      if (event.started_at && !record.started_at) record.started_at = event.started_at;
      return EndPart(part, *event.ended, PartEvent::kFoundEnded);
    case driver::Finding::kNeverRan:
      if (record.state != PartState::kRunning) {
        return StartFailed(part, "the daemon restarted before it began",
                           schemas::CauseCode::kSiteDown, {.counts = false});
      }
      break;
    case driver::Finding::kCannotTell:
      break;
  }
  driver::PartEnded unknown{.token = event.token, .at = now()};
  unknown.end = {.by = schemas::EndedBy::kUnknown, .text = "the site cannot tell how it ended"};
  unknown.usage = record.usage;
  EndPart(part, unknown, PartEvent::kFoundCannotTell);
}

// L8.
void DriverEvents::FoundLoan(const PartKey& part, const driver::PartFound& event) {
  const HoldRecord& hold = *ledger().Find(part.first);
  const schemas::Loan& loan = *PartOf(hold, part.second).loan;
  driver::PartEnded unknown{.token = event.token, .at = now()};
  unknown.end = {.by = schemas::EndedBy::kUnknown, .text = "the site cannot tell how it ended"};
  switch (event.finding) {
    case driver::Finding::kRunning:
      if (loan.state == schemas::LoanState::kStarting) {
        return LoanBegan(part.first, LoanEvent::kFoundRunning, event.started_at.value_or(now()));
      }
      // Repeats a stop that was on record before the restart.
      if (IsEnding(PartOf(hold, part.second))) {
        Drive(driver::StopPart{.token = event.token,
                               .grace = ToBootSpan(hold.order.contract->grace)});
      }
      return;
    case driver::Finding::kEnded:
      if (!event.ended) break;
      if (LoanGone(part.first,
                   LoanEnd(*event.ended, LoanEvent::kFoundEnded, LoanEvent::kFoundStopped),
                   *event.ended)) {
        EndPart(part, *event.ended, PartEvent::kFoundEnded);
      }
      return;
    case driver::Finding::kNeverRan:
      if (loan.state != schemas::LoanState::kRunning && loan.state != schemas::LoanState::kPaused) {
        return LoanFailed(part, LoanEvent::kFoundNeverRan);
      }
      break;
    case driver::Finding::kCannotTell:
      break;
  }
  if (LoanGone(part.first, LoanEvent::kFoundCannotTell, unknown)) {
    EndPart(part, unknown, PartEvent::kFoundCannotTell);
  }
}

// Of a driver that did not start a part in time. Parts are handed over some time before.
schemas::CauseCode DriverEvents::Slowness(const HoldRecord& hold) const {
  const bool blind = WasBlindSince(hold.start - options().facts.start_ahead);
  return blind ? schemas::CauseCode::kSiteDown : schemas::CauseCode::kLate;
}

// Nothing but the driver's slowness, unless somebody was told to be on its nodes meanwhile.
schemas::Cause DriverEvents::LateBy(const Fence& fence, schemas::Cause cause) {
  const std::optional<schemas::Cause>& known = Memory(fence).late;
  const bool named =
      known && known->code == schemas::CauseCode::kLocal && !known->subject.job.empty();
  return cause.code == schemas::CauseCode::kLate && named ? *known : cause;
}

// R7. A start that comes later than the slack of the promise allows is reported as a move, if the
// hold has one member and no part that waits to start. The part keeps its nodes for as long as it
// runs (G2), and bookings in its way move.
void DriverEvents::BeganLate(const PartKey& part, schemas::CauseCode code) {
  const auto& [fence, index] = part;
  HoldRecord& hold = records().Edit(fence);
  const Span offset = DemandOf(hold, index).offset;
  const Instant began = PartOf(hold, index).started_at->Floor();
  const bool one_waits = std::any_of(hold.parts.begin(), hold.parts.end(), [](const auto& other) {
    return other.state == PartState::kBooked || other.state == PartState::kReady;
  });
  // With a tail the promise is D, which leaves the driver enough time.
  const Span wait = PermitWait(hold);
  const Instant by = hold.start + offset + (wait > Span{0} ? wait : options().facts.start_slack);
  if (OneMember(hold) && !one_waits && began > by) {
    const Instant old_start = std::exchange(hold.start, began - offset);
    hold.cause = LateBy(fence, Own(code));
    Report(fence,
           schemas::Moved{.old_start = old_start, .new_start = hold.start, .cause = hold.cause});
  }
  if (HasOnlyLentRoom(hold)) return;  // booked only as far as it cannot be taken back
  const Span runs = RunTime(hold, index);
  const Instant until =
      std::max(hold.start + offset + runs, began + runs - options().facts.turnover);
  if (plan().EndOf(fence, index) >= until) return;
  const Instant room = plan().RoomUntil(fence, index, until);
  std::vector<Fence> others;
  if (room < until) others = plan().Beside(fence, index, room, until);
  planner().Lengthen(fence, index, until);
  const auto nodes = NodesOf(PartOf(hold, index).place);
  schemas::Cause cause = Own(schemas::CauseCode::kOverrun, nodes.empty() ? "" : nodes.front());
  cause.subject.job = PartName(hold.order, index);
  for (const Fence& other : others) {
    const HoldRecord* next = ledger().Find(other);
    if (next == nullptr || next->state < schemas::HoldState::kPrepared || HasStarted(*next))
      continue;
    MoveForCause(other, cause, false);
    Touch(other);
  }
}

void DriverEvents::EndPart(const PartKey& part, const driver::PartEnded& end, PartEvent event) {
  HoldRecord& hold = records().Edit(part.first);
  PartRecord& record = PartOf(hold, part.second);
  if (record.state == PartState::kStarting && event != PartEvent::kFoundCannotTell) {
    // PartStarted never arrived: the start follows from the end and the elapsed time.
    const Moment began{end.at.milliseconds - end.usage.elapsed.milliseconds};
    SetPart(part.first, part.second, NextPart(record.state, PartEvent::kStarted), began);
    BeganLate(part,
              event == PartEvent::kFoundEnded ? schemas::CauseCode::kSiteDown : Slowness(hold));
  }
  record.end = end.end;
  record.usage = end.usage;
  const bool told_to = !IsStopping(hold) && end.end.by == schemas::EndedBy::kRelease;
  if (told_to && IsRecalled(record)) {
    EndRecalled(hold, end);
  } else if (told_to && TimedOut(part)) {
    record.end.by = schemas::EndedBy::kFailedToStart;
    record.end.text = "stopped: its start was not heard of in time";
  } else if (told_to) {
    // By somebody at its machine, and nobody here. It has run, and must not be placed again.
    record.end.by = schemas::EndedBy::kExit;
    if (record.end.text.empty()) record.end.text = "ended by somebody at its machine";
    if (!record.end.signal && record.end.exit_code.value_or(0) == 0) {
      record.end.exit_code.reset();
      record.end.signal = SIGTERM;
    }
  }
  SetPart(part.first, part.second, NextPart(record.state, event), end.at);
  planner().FreePartFrom(part.first, part.second, now_floor());
  SomethingIsFree();
}

// Nothing ran. The part is BOOKED again and retried after a pause, within its booking. After
// kStartTries the site drops the hold (H16), so that another site can run it.
void DriverEvents::StartFailed(const PartKey& part, const std::string& why,
                               schemas::CauseCode cause, Try failed) {
  HoldRecord& hold = records().Edit(part.first);
  PartRecord& record = PartOf(hold, part.second);
  const std::string name = PartName(hold.order, part.second);
  Note("part " + name + " did not start: " + why);
  if (record.state == PartState::kEnding) {  // released during the try
    record.end = {.by = schemas::EndedBy::kRelease};
    planner().FreePartFrom(part.first, part.second, now_floor());
    SomethingIsFree();
    return SetPart(part.first, part.second, NextPart(record.state, PartEvent::kNotStarted), now());
  }
  if (record.state != PartState::kStarting) return;
  record.end = {.by = schemas::EndedBy::kFailedToStart, .text = why};
  SetPart(part.first, part.second, NextPart(record.state, PartEvent::kNotStarted), now());
  if (hold.order.inside && !plan().HolderOf(*hold.order.inside)) {
    // Its reservation ended during the try: there is no time left in which it may start.
    if (HasStarted(hold)) return FailPart(part.first, part.second, why);
    schemas::Cause over = Own(schemas::CauseCode::kOperator);
    over.subject.job = "R" + ToText(*hold.order.inside);
    return Drop(part.first, std::move(over), {});
  }
  const auto nodes = NodesOf(record.place);
  const bool of_node = cause == schemas::CauseCode::kNodeLost && !nodes.empty();
  const schemas::Cause own = Own(cause, of_node ? nodes.front() : "");
  if (TimedOut(part) && !HasStarted(hold)) {
    Memory(part.first).timed_out.erase(part.second);
    return MoveForCause(part.first, LateBy(part.first, own), true);
  }
  // After a try that the driver refused as late the hold is not dropped: in a moment its last start
  // passes by the clock of the core, too (H18). A restart of the daemon is not the node's fault:
  // the part is tried again at once, without a limit.
  Live& memory = Memory(part.first);
  memory.late = LateBy(part.first, Own(cause));
  if (!failed.counts) return;
  const int64_t pause = failed.late ? 1000 : 1000 * int64_t{record.tries};
  memory.retry_at[part.second] = {now().milliseconds + pause};
  if (failed.late || record.tries < kStartTries) return;
  if (HasStarted(hold)) return FailPart(part.first, part.second, why);
  Drop(part.first, LateBy(part.first, own), {});
}

}  // namespace muster::site
