// The meta's part of a move: takes in feeds, then executes events of DueEvent by the attempt table
// until none is due.
#include "verifier/exploration/meta_actions.h"
#include "verifier/exploration/turn.h"

namespace muster::verifier::exploration {

using schemas::AttemptState;
using schemas::ClosedAs;
using schemas::HoldState;
using schemas::PartState;
using schemas::Started;

namespace {

// Start of every attempt, in ms on the attempt's own time scale.
constexpr int64_t kStart = 1'000'000;

// A moment inside each phase, for the default values of [protocol].
Moment MomentOf(int phase) {
  constexpr int64_t kOffsets[] = {-60'000, -30'000, 0, 30'001, 90'001, 95'001, 160'001};
  return {kStart + kOffsets[phase]};
}

}  // namespace

AttemptView Turn::View(int attempt) const {
  const AttemptBytes& a = state_.attempts[attempt];
  AttemptView view;
  view.state = StateOf(a);
  view.start = Moment{kStart}.Floor();
  view.deadline = {kStart + view.values.start_wait.milliseconds};
  view.now = MomentOf(PhaseOf(state_, attempt));
  view.wanted = !state_.cancelled && !state_.done;
  view.superseded = a.superseded;
  view.rival_permitted = RivalPermitted(attempt) && !Is(Planted::kRivalIgnored);
  view.endangered = a.endangered;
  view.answers_overdue = a.overdue;
  for (int site = 0; site < kSites; ++site) {
    if (!IsMember(config_, attempt, site)) continue;
    const MirrorBytes& m = state_.mirror[attempt][site];
    MemberView member;
    member.hold = static_cast<HoldState>(m.state);
    member.closed_as = static_cast<ClosedAs>(m.closed_as);
    member.started = static_cast<Started>(m.started);
    member.start = view.start;
    const auto part = static_cast<PartState>(m.part);
    member.first_parts_ready = part >= PartState::kReady || Is(Planted::kPermitBeforeReady);
    member.all_parts_running = part >= PartState::kRunning;
    member.link_lost = (a.silent & (1u << site)) != 0;
    member.link_up = state_.sites[site].synced == 2 && !member.link_lost;
    member.heard = member.link_up ? view.now : Moment{0};
    if (m.seen_running) member.seen_running = Moment{kStart};
    view.members.push_back(member);
  }
  return view;
}

bool Turn::RivalPermitted(int attempt) const {
  for (int other = 0; other < kAttempts; ++other) {
    const AttemptBytes& b = state_.attempts[other];
    if (other != attempt && b.exists && b.permit && Permitted(StateOf(b))) return true;
  }
  return false;
}

bool Turn::StepAttempt(int attempt) {
  AttemptBytes& a = state_.attempts[attempt];
  if (!a.exists || StateOf(a) == AttemptState::kClosed) return false;
  const AttemptView view = View(attempt);
  std::optional<AttemptEvent> event = DueEvent(view);
  if (Is(Planted::kDecidedBeforeAllPrepared) && view.state == AttemptState::kHolding &&
      config_.members == 2 && view.members[0].hold == HoldState::kPrepared) {
    event = AttemptEvent::kPrepared;
  }
  if (Is(Planted::kPlacedAgainOnSilence) && Permitted(view.state) && !view.members[0].link_up) {
    event = AttemptEvent::kAllClosed;
  }
  if (!event) return false;
  const AttemptGuards guards = GuardsOf(view);
  AttemptStep step = NextAttemptStep(view.state, *event, guards);
  if (step.row == 0) return false;
  MetaActions actions(*this, attempt);
  const bool owed = Is(Planted::kPermitSentBeforeWritten) && (step.effects & kWritePermit) != 0;
  if (owed) {
    a.unwritten = static_cast<uint8_t>(a.state + 1);
    a.was_permitted_before = a.permit;
  }
  step.effects &= ~EffectLeftOut(config_.planted);
  Execute(step, actions);
  return true;
}

void Turn::MetaTurn() {
  if (!state_.meta_up) return;
  for (bool again = true; again;) {
    again = false;
    for (int a = 0; a < kAttempts; ++a) again = StepAttempt(a) || again;
  }
}

void Turn::Mint(int attempt) {
  AttemptBytes& a = state_.attempts[attempt];
  a.exists = 1;
  a.phase = 0;
  const bool replacing =
      attempt == 1 && Binds(StateOf(state_.attempts[0])) && !state_.attempts[0].permit;
  if (replacing) a.replaces = 1;
  const AttemptStep step = NextAttemptStep(AttemptState::kSeeking, AttemptEvent::kCommonStart, {});
  for (const MirrorBytes& m : state_.mirror[1 - attempt]) {
    if (m.closed_as == static_cast<uint8_t>(ClosedAs::kEnded)) {
      Broken("G3: placed again though it has run to its end");
    }
  }
  state_.seeks = 0;
  MetaActions actions(*this, attempt);
  Execute(step, actions);
}

void Turn::Feed(int site) {
  SiteBytes& s = state_.sites[site];
  const ChangeBytes change = s.feed[0];
  for (int i = 1; i < s.feed_length; ++i) s.feed[i - 1] = s.feed[i];
  s.feed[--s.feed_length] = {};
  MirrorBytes& m = state_.mirror[change.attempt][site];
  m.state = change.state;
  m.closed_as = change.closed_as;
  m.part = change.part;
  m.started = change.started;
  if (static_cast<PartState>(change.part) == PartState::kRunning) m.seen_running = 1;
  const AttemptBytes& a = state_.attempts[change.attempt];
  const bool live = m.state != 0 && static_cast<HoldState>(m.state) != HoldState::kClosed;
  const bool unwanted =
      !a.exists || StateOf(a) == AttemptState::kAborting || StateOf(a) == AttemptState::kClosed;
  if (s.synced == 2 && live && unwanted) {
    s.orders[OrderIndex(change.attempt, kOrderReleaseOf, state_.epoch)] = 1;
  }
}

void Turn::Sync(int site) {
  SiteBytes& s = state_.sites[site];
  if (s.epoch < state_.epoch) {
    s.epoch = state_.epoch;
    for (int a = 0; a < kAttempts; ++a) {
      if (static_cast<HoldState>(s.holds[a].state) == HoldState::kHeld)
        Take(site, a, HoldEvent::kHigherEpoch);
    }
  }
  s.synced = 1;
}

// Compares with the site (protocol.md section 7.3), once its feed has reached the revision of the
// hello.
void Turn::Compare(int site) {
  SiteBytes& s = state_.sites[site];
  s.synced = 2;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    AttemptBytes& a = state_.attempts[attempt];
    a.silent = static_cast<uint8_t>(a.silent & ~(1u << site));
    const auto hold = static_cast<HoldState>(state_.mirror[attempt][site].state);
    if (hold == HoldState::kNone || hold == HoldState::kClosed) continue;
    const AttemptState state = StateOf(a);
    const AttemptBytes& other = state_.attempts[1 - attempt];
    const bool other_open = other.exists && Binds(StateOf(other)) && !Is(Planted::kRivalIgnored);
    if (Permitted(state) && state != AttemptState::kPartial) {
      s.orders[OrderIndex(attempt, kOrderPermitOf, state_.epoch)] = 1;
    } else if (Binds(state) && !a.superseded && state != AttemptState::kPartial) {
      s.orders[OrderIndex(attempt, kOrderCommitOf, state_.epoch)] = 1;
    } else if (state == AttemptState::kClosed && config_.members == 1 &&
               hold >= HoldState::kCommitted && !a.permit && !other_open && !state_.cancelled &&
               !state_.done) {
      a.state = static_cast<uint8_t>(AttemptState::kHolding);  // adopted: C4 decides what follows
      a.overdue = 0;
      state_.seeks = 0;
    } else if (state != AttemptState::kHolding) {
      s.orders[OrderIndex(attempt, kOrderReleaseOf, state_.epoch)] = 1;
    }
  }
}

void Turn::CrashMeta(bool losing) {
  state_.meta_up = 0;
  ++state_.meta_crashes;
  for (AttemptBytes& a : state_.attempts) {
    if (a.unwritten) {
      a.state = static_cast<uint8_t>(a.unwritten - 1);
      a.permit = a.was_permitted_before;
      a.durable = StateOf(a) != AttemptState::kHolding;
      a.unwritten = 0;
    }
    // HOLDING, and an abort by C2, were never written: presumed abort.
    if (a.exists && !a.durable) a.state = static_cast<uint8_t>(AttemptState::kClosed);
    a.endangered = 0;
    a.overdue = 0;
    a.silent = 0;
  }
  for (SiteBytes& s : state_.sites) {
    s.synced = 0;
    if (losing) s.orders.fill(0);
  }
}

void Turn::RestartMeta() {
  state_.meta_up = 1;
  state_.seeks = !Binds(StateOf(state_.attempts[0]));
  ++state_.epoch;
}

std::optional<std::string> Turn::Make(const Move& move) {
  SiteBytes& s = state_.sites[move.site];
  const int a = move.attempt;
  const auto order_attempt = move.order / 8;
  const auto order_kind = static_cast<OrderKind>(move.order / 2 % 4);
  switch (move.kind) {
    case MoveKind::kTime:
      for (AttemptBytes& attempt : state_.attempts) {
        if (attempt.exists && attempt.phase < kLastPhase) ++attempt.phase;
      }
      break;
    case MoveKind::kMint:
      Mint(a);
      break;
    case MoveKind::kOverdue:
      state_.attempts[a].overdue = 1;
      break;
    case MoveKind::kSilent:
      state_.attempts[a].silent |= static_cast<uint8_t>(1u << move.site);
      break;
    case MoveKind::kCancel:
      state_.cancelled = 1;
      break;
    case MoveKind::kDuplicate:
      ++state_.duplicates;
      Deliver(move.site, order_attempt, order_kind, move.order % 2 + 1);
      break;
    case MoveKind::kDeliver:
      s.orders[move.order] = 0;
      Deliver(move.site, order_attempt, order_kind, move.order % 2 + 1);
      break;
    case MoveKind::kLose:
      ++state_.losses;
      s.orders[move.order] = 0;
      break;
    case MoveKind::kFeed:
      Feed(move.site);
      break;
    case MoveKind::kReady:
      PartMoves(move.site, a, PartEvent::kNodesClean);
      break;
    case MoveKind::kStart:
      if (!Is(Planted::kStartNotWritten)) PartMoves(move.site, a, PartEvent::kDue);
      s.holds[a].pending = 1;
      break;
    case MoveKind::kSpawn:
      Spawn(move.site, a);
      break;
    case MoveKind::kStarted:
      if (Is(Planted::kStartNotWritten)) PartMoves(move.site, a, PartEvent::kDue);
      PartMoves(move.site, a, PartEvent::kStarted);
      s.holds[a].pending = 0;
      break;
    case MoveKind::kProcessEnds:
      s.holds[a].process = 2;
      break;
    case MoveKind::kSeesEnd:
      SeesEnd(move.site, a);
      break;
    case MoveKind::kDeadline:
      Take(move.site, a,
           static_cast<HoldState>(s.holds[a].state) == HoldState::kPermitted
               ? HoldEvent::kLastStartPasses
               : HoldEvent::kDeadlinePasses);
      break;
    case MoveKind::kLeaseEnds:
      if (static_cast<HoldState>(s.holds[a].state) == HoldState::kPrepared) {  // the planted fault
        s.holds[a].state = static_cast<uint8_t>(HoldState::kHeld);
        Take(move.site, a, HoldEvent::kLeaseEnds);
        Broken("promise: a site ended a prepared hold before its deadline");
      }
      break;
    case MoveKind::kSiteCrash:
      CrashSite(move.site);
      break;
    case MoveKind::kSiteRestart:
      Restart(move.site);
      break;
    case MoveKind::kMetaCrash:
      CrashMeta(false);
      break;
    case MoveKind::kMetaCrashLosing:
      CrashMeta(true);
      break;
    case MoveKind::kMetaRestart:
      RestartMeta();
      break;
    case MoveKind::kSync:
      Sync(move.site);
      break;
    case MoveKind::kCompare:
      Compare(move.site);
      break;
    case MoveKind::kRepeatPermit:
      s.orders[OrderIndex(a, kOrderPermitOf, state_.epoch)] = 1;
      break;
    case MoveKind::kWrite:
      state_.attempts[a].unwritten = 0;
      break;
    case MoveKind::kLend:
      Lend(move.site, a);
      break;
    case MoveKind::kLoanSpawn:
      SpawnOnLoan(move.site, a);
      break;
    case MoveKind::kLoanStarted:
      s.holds[a].loan_pending = 0;
      LoanMoves(move.site, a, LoanEvent::kStarted);
      break;
    case MoveKind::kLoanEnds:
      s.holds[a].loan_process = 2;
      break;
    case MoveKind::kLoanStops:
      s.holds[a].loan_process = 3;
      break;
    case MoveKind::kLoanSeesEnd:
      LoanMoves(move.site, a,
                s.holds[a].loan_process == 2 ? LoanEvent::kEnded : LoanEvent::kStopped);
      break;
    case MoveKind::kRecall:
      LoanMoves(move.site, a, LoanEvent::kOwnStart);
      break;
    case MoveKind::kKeep:
      LoanMoves(move.site, a, LoanEvent::kRoomToEnd);
      break;
    case MoveKind::kPause:
      LoanMoves(move.site, a, LoanEvent::kCoresDue);
      break;
    case MoveKind::kResume:
      LoanMoves(move.site, a, LoanEvent::kCoresFree);
      break;
    case MoveKind::kLoanWord:
      ObeyLoanWord(move.site, a);
      break;
  }
  if (config_.lends) CheckPauses();
  MetaTurn();
  return broken_;
}

}  // namespace muster::verifier::exploration
