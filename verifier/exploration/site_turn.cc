// The site's part of a move: orders, parts, deadlines, crash and restart, all by the state tables.
#include "base/check.h"
#include "verifier/exploration/turn.h"

namespace muster::verifier::exploration {

using schemas::ClosedAs;
using schemas::HoldState;
using schemas::PartState;
using schemas::Started;

namespace {

bool Live(const HoldBytes& hold) {
  return StateOf(hold) != HoldState::kNone && StateOf(hold) != HoldState::kClosed;
}

}  // namespace

void Turn::Report(int site, int attempt) {
  SiteBytes& s = state_.sites[site];
  const HoldBytes& hold = s.holds[attempt];
  MUSTER_CHECK(s.feed_length < kFeed);  // Moves offers a site nothing that could fill its feed
  s.feed[s.feed_length++] = {static_cast<uint8_t>(attempt), hold.state, hold.closed_as, hold.part,
                             hold.started};
}

void Turn::Close(int site, int attempt, ClosedAs as) {
  HoldBytes& hold = Hold(site, attempt);
  hold.state = static_cast<uint8_t>(HoldState::kClosed);
  hold.closed_as = static_cast<uint8_t>(as);
  hold.pending = 0;
  Report(site, attempt);
}

void Turn::Create(int site, int attempt) {
  HoldBytes& hold = Hold(site, attempt);
  if (Is(Planted::kClosedRevived) && StateOf(hold) == HoldState::kClosed) hold.state = 0;
  Take(site, attempt, config_.members == 1 ? HoldEvent::kCommitDirect : HoldEvent::kHoldPrepared);
  if (Live(hold) && hold.released) Broken("G5: a released fence lives again");
}

void Turn::Take(int site, int attempt, HoldEvent event) {
  HoldBytes& hold = Hold(site, attempt);
  const HoldState before = StateOf(hold);
  HoldGuards guards;
  guards.feasible = true;
  guards.one_member = config_.members == 1;
  guards.before_deadline = PhaseOf(state_, attempt) < kPhaseDeadline;
  guards.started =
      MayHaveProcesses(PartOf(hold)) || PartOf(hold) == PartState::kEnded || hold.loan != 0;
  const HoldStep step = NextHold(before, event, guards);
  if (event == HoldEvent::kRelease && (!Is(Planted::kNoTombstone) || before != HoldState::kNone))
    hold.released = 1;
  if (step.effects.tombstone) {
    if (Is(Planted::kNoTombstone)) {
      hold.released = 1;  // the model knows of the release even if the site's record does not
      return;
    }
    return Close(site, attempt, ClosedAs::kReleased);
  }
  if (step.effects.close) {
    const bool alone = event == HoldEvent::kLeaseEnds;
    if (alone && before != HoldState::kHeld && PhaseOf(state_, attempt) < kPhaseDeadline) {
      Broken("promise: a site ended a prepared hold before its deadline");
    }
    return Close(site, attempt, step.closed_as);
  }
  if (step.effects.stop) {
    hold.stopping = 1;
    if (hold.loan != 0) return LoanMoves(site, attempt, LoanEvent::kRelease);
    if (hold.process == 1) hold.process = 2;  // TERM, then KILL
    hold.loan_frozen = hold.loan_word = 0;
    PartMoves(site, attempt, PartEvent::kEndInSight);
    return;
  }
  if (step.next == before) return;
  hold.state = static_cast<uint8_t>(step.next);
  const uint8_t old = state_.attempts[attempt].replaces;
  if (step.effects.close_replaced && old > 0 && Live(Hold(site, old - 1))) {
    Close(site, old - 1, ClosedAs::kReleased);
  }
  Report(site, attempt);
}

void Turn::Deliver(int site, int attempt, OrderKind kind, int epoch) {
  SiteBytes& s = state_.sites[site];
  if (s.epoch != epoch && !(Is(Planted::kOldEpochHeard) && epoch < s.epoch))
    return;  // counted and dropped
  const bool stale_epoch = epoch != s.epoch;
  const HoldState before = StateOf(s.holds[attempt]);
  switch (kind) {
    case kOrderHoldOf:
      Create(site, attempt);
      break;
    case kOrderCommitOf:
      Take(site, attempt, HoldEvent::kCommit);
      break;
    case kOrderPermitOf:
      Take(site, attempt, HoldEvent::kPermit);
      break;
    case kOrderReleaseOf:
      Take(site, attempt, HoldEvent::kRelease);
      break;
  }
  if (stale_epoch && StateOf(s.holds[attempt]) != before)
    Broken("G5: an order of an old epoch had an effect");
}

void Turn::PartMoves(int site, int attempt, PartEvent event) {
  HoldBytes& hold = Hold(site, attempt);
  const PartStep step = NextPart(PartOf(hold), event);
  if (step.row == PartRow::kNone) return;
  hold.part = static_cast<uint8_t>(step.next);
  if (step.next == PartState::kReady) hold.was_ready = 1;
  if (step.effects.started_yes) hold.started = static_cast<uint8_t>(Started::kYes);
  if (step.effects.started_unknown) hold.started = static_cast<uint8_t>(Started::kUnknown);
  if (step.next == PartState::kEnded && StateOf(hold) == HoldState::kPermitted) {
    Close(site, attempt, hold.stopping ? ClosedAs::kReleased : ClosedAs::kEnded);
  } else {
    Report(site, attempt);
  }
}

void Turn::Spawn(int site, int attempt) {
  HoldBytes& hold = Hold(site, attempt);
  hold.pending = Is(Planted::kStartNotWritten) ? 2 : 0;
  // Stopped before the driver tried to start it.
  if (hold.stopping) return PartMoves(site, attempt, PartEvent::kNotStarted);
  const bool late = PhaseOf(state_, attempt) >= LastStartPhase(config_);
  if (late && !Is(Planted::kLateStart)) return PartMoves(site, attempt, PartEvent::kNotStarted);
  hold.process = 1;
  if (hold.runs < 3) ++hold.runs;
  const AttemptBytes& a = state_.attempts[attempt];
  if (hold.runs > 1) Broken("G3: one part came to life twice");
  CheckLives(site, attempt);
  if (!a.permit || a.unwritten) Broken("G1: a part started without a durable permit");
  if (late) Broken("G1: a part started after its last start");
}

void Turn::SeesEnd(int site, int attempt) {
  HoldBytes& hold = Hold(site, attempt);
  if (PartOf(hold) == PartState::kStarting) PartMoves(site, attempt, PartEvent::kStarted);
  if (PartOf(hold) == PartState::kRunning) PartMoves(site, attempt, PartEvent::kEndInSight);
  PartMoves(site, attempt, PartEvent::kProcessesGone);
}

void Turn::CrashSite(int site) {
  SiteBytes& s = state_.sites[site];
  s.up = 0;
  s.synced = 0;
  ++s.crashes;
  s.orders.fill(0);  // orders in flight are lost with the site
  for (HoldBytes& hold : s.holds) hold.pending = hold.loan_pending = hold.loan_word = 0;
}

void Turn::Restart(int site) {
  SiteBytes& s = state_.sites[site];
  s.up = 1;
  // Deadlines that passed take effect before any driver command.
  for (int a = 0; a < kAttempts; ++a) {
    if (DeadlineDue(state_, config_, site, a)) {
      Take(site, a,
           StateOf(s.holds[a]) == HoldState::kPermitted ? HoldEvent::kLastStartPasses
                                                        : HoldEvent::kDeadlinePasses);
    }
  }
  for (int a = 0; a < kAttempts; ++a) {
    HoldBytes& hold = s.holds[a];
    if (Live(hold) && hold.loan != 0) {
      const bool forgets = Is(Planted::kLoanForgotten);
      constexpr LoanEvent kFindings[] = {LoanEvent::kFoundNeverRan, LoanEvent::kFoundRunning,
                                         LoanEvent::kFoundEnded, LoanEvent::kFoundStopped};
      if (hold.loan_process == 1 && !Is(Planted::kPauseForgotten)) hold.loan_word = 1;
      LoanMoves(site, a, kFindings[forgets ? 0 : hold.loan_process]);
      continue;
    }
    if (!Live(hold) || !MayHaveProcesses(PartOf(hold))) continue;
    if (hold.loan_frozen && !Is(Planted::kPauseForgotten)) hold.loan_word = 1;
    if (Is(Planted::kNeverRanAssumed) || hold.process == 0) {
      PartMoves(site, a, PartEvent::kFoundNeverRan);
    } else {
      PartMoves(site, a, hold.process == 1 ? PartEvent::kFoundRunning : PartEvent::kFoundEnded);
    }
  }
}

}  // namespace muster::verifier::exploration
