// The moves that are possible in a state, and the conditions that hold in a state without moves.
#include "verifier/exploration/model.h"

#include "verifier/exploration/turn.h"

namespace muster::verifier::exploration {

using schemas::AttemptState;
using schemas::HoldState;
using schemas::PartState;

namespace {

Move Of(MoveKind kind, int site = 0, int attempt = 0, int order = 0) {
  return {kind, static_cast<uint8_t>(site), static_cast<uint8_t>(attempt),
          static_cast<uint8_t>(order)};
}

// What may happen to a part's loan. Nothing is lent twice.
void LoanMoves(const Config& c, int site, int a, const HoldBytes& hold, int phase,
               std::vector<Move>& out) {
  const PartState part = PartOf(hold);
  const bool waits = part == PartState::kBooked || part == PartState::kReady;
  const bool permitted = StateOf(hold) == HoldState::kPermitted && !hold.stopping;
  if (permitted && waits && hold.loan == 0 && hold.loan_pending == 0 && hold.recalls == 0 &&
      hold.pending == 0 && phase < kPhaseStart) {
    out.push_back(Of(MoveKind::kLend, site, a));
  }
  if (hold.loan_pending == 1) out.push_back(Of(MoveKind::kLoanSpawn, site, a));
  const bool unwritten = c.planted == Planted::kLoanNotWritten && hold.loan_pending == 2;
  const auto state = static_cast<schemas::LoanState>(hold.loan - 1);
  const bool lent = hold.loan != 0;
  const bool paused = lent && state == schemas::LoanState::kPaused;
  const bool goes_on = paused || (lent && state <= schemas::LoanState::kRunning);
  if (hold.loan_process == 1) {
    const bool starting = lent && state == schemas::LoanState::kStarting;
    if (starting || unwritten) out.push_back(Of(MoveKind::kLoanStarted, site, a));
    if (!hold.loan_frozen) out.push_back(Of(MoveKind::kLoanEnds, site, a));
    if (lent && !goes_on && !hold.loan_frozen) out.push_back(Of(MoveKind::kLoanStops, site, a));
  }
  if (hold.loan_word) out.push_back(Of(MoveKind::kLoanWord, site, a));
  if (lent && hold.loan_process > 1) out.push_back(Of(MoveKind::kLoanSeesEnd, site, a));
  if (goes_on) out.push_back(Of(MoveKind::kRecall, site, a));
  if (lent && state == schemas::LoanState::kRunning && permitted) {
    out.push_back(Of(MoveKind::kKeep, site, a));
    out.push_back(Of(MoveKind::kPause, site, a));
  }
  if (paused && permitted) out.push_back(Of(MoveKind::kResume, site, a));
}

void SiteMoves(const State& s, const Config& c, int site, bool faults, std::vector<Move>& out) {
  const SiteBytes& host = s.sites[site];
  if (!host.up) return out.push_back(Of(MoveKind::kSiteRestart, site));
  if (faults && host.crashes < c.crashes_per_daemon) out.push_back(Of(MoveKind::kSiteCrash, site));
  if (s.meta_up && host.synced == 0) out.push_back(Of(MoveKind::kSync, site));
  if (s.meta_up && host.synced == 1 && host.feed_length == 0)
    out.push_back(Of(MoveKind::kCompare, site));
  if (s.meta_up && host.synced > 0 && host.feed_length > 0)
    out.push_back(Of(MoveKind::kFeed, site));
  // The feed is nearly full: some of it must be delivered first.
  if (host.feed_length + 3 > kFeed) return;
  for (int order = 0; order < static_cast<int>(host.orders.size()); ++order) {
    if (!host.orders[order] || host.synced == 0) continue;
    out.push_back(Of(MoveKind::kDeliver, site, 0, order));
    if (faults && s.duplicates < c.duplicates)
      out.push_back(Of(MoveKind::kDuplicate, site, 0, order));
    if (faults && s.losses < c.losses) out.push_back(Of(MoveKind::kLose, site, 0, order));
  }
  for (int a = 0; a < kAttempts; ++a) {
    const HoldBytes& hold = host.holds[a];
    const int phase = PhaseOf(s, a);
    if (hold.process == 1 && !hold.loan_frozen) out.push_back(Of(MoveKind::kProcessEnds, site, a));
    if (hold.pending == 1) out.push_back(Of(MoveKind::kSpawn, site, a));
    if (StateOf(hold) == HoldState::kNone || StateOf(hold) == HoldState::kClosed) continue;
    const PartState part = PartOf(hold);
    const bool waits = part == PartState::kBooked || part == PartState::kReady;
    if (part == PartState::kBooked && phase >= kPhaseLead)
      out.push_back(Of(MoveKind::kReady, site, a));
    if (c.lends) LoanMoves(c, site, a, hold, phase, out);
    if (hold.loan != 0 && c.planted != Planted::kStartsBesideLoan) continue;
    if (waits && !hold.pending && StateOf(hold) == HoldState::kPermitted && phase >= kPhaseStart &&
        (phase < LastStartPhase(c) || c.planted == Planted::kLateStart)) {
      out.push_back(Of(MoveKind::kStart, site, a));
    }
    const bool unwritten = c.planted == Planted::kStartNotWritten && waits && hold.pending == 2;
    if ((part == PartState::kStarting || unwritten) && hold.process == 1)
      out.push_back(Of(MoveKind::kStarted, site, a));
    if (MayHaveProcesses(part) && hold.process == 2) out.push_back(Of(MoveKind::kSeesEnd, site, a));
    if (DeadlineDue(s, c, site, a)) out.push_back(Of(MoveKind::kDeadline, site, a));
    if (c.planted == Planted::kPreparedEndsWithLease && StateOf(hold) == HoldState::kPrepared) {
      out.push_back(Of(MoveKind::kLeaseEnds, site, a));
    }
  }
}

// The first attempt can be made at once. The second only after effects of the first asked for it,
// and not while the first is still being placed.
bool MayMint(const State& s, int attempt) {
  if (!s.meta_up || s.cancelled || s.done || !s.seeks || s.attempts[attempt].exists) return false;
  for (const SiteBytes& site : s.sites) {
    if (site.synced != 2) return false;
  }
  if (attempt == 0) return true;
  const AttemptBytes& first = s.attempts[0];
  return first.exists && StateOf(first) != AttemptState::kHolding;
}

void MetaMoves(const State& s, const Config& c, bool faults, std::vector<Move>& out) {
  if (!s.meta_up) return out.push_back(Of(MoveKind::kMetaRestart));
  if (faults && s.meta_crashes < c.crashes_per_daemon) {
    out.push_back(Of(MoveKind::kMetaCrash));
    out.push_back(Of(MoveKind::kMetaCrashLosing));
  }
  if (c.cancel && !s.cancelled && s.attempts[0].exists && !s.done)
    out.push_back(Of(MoveKind::kCancel));
  for (int a = 0; a < kAttempts; ++a) {
    if (MayMint(s, a)) out.push_back(Of(MoveKind::kMint, 0, a));
    const AttemptBytes& attempt = s.attempts[a];
    if (!attempt.exists) continue;
    if (attempt.unwritten) out.push_back(Of(MoveKind::kWrite, 0, a));
    if (c.late_answers && StateOf(attempt) == AttemptState::kHolding && !attempt.overdue)
      out.push_back(Of(MoveKind::kOverdue, 0, a));
    for (int site = 0; site < kSites; ++site) {
      if (!IsMember(c, a, site)) continue;
      const bool barrier =
          Binds(StateOf(attempt)) && !attempt.permit && PhaseOf(s, a) >= kPhaseLead;
      if (faults && barrier && attempt.silent == 0) out.push_back(Of(MoveKind::kSilent, site, a));
      const auto mirrored = static_cast<HoldState>(s.mirror[a][site].state);
      const uint8_t order = OrderIndex(a, kOrderPermitOf, s.epoch);
      if (StateOf(attempt) == AttemptState::kPermitted && mirrored < HoldState::kPermitted &&
          s.sites[site].synced == 2 && !s.sites[site].orders[order] &&
          PhaseOf(s, a) < kPhaseDeadline) {
        out.push_back(Of(MoveKind::kRepeatPermit, site, a));
      }
    }
  }
}

}  // namespace

int LastStartPhase(const Config& config) {
  return config.members > 1 ? kPhaseDeadline : kPhaseSettled;
}

bool IsMember(const Config& config, int attempt, int site) {
  return config.members > 1 || attempt == site;
}

bool DeadlineDue(const State& state, const Config& config, int site, int attempt) {
  const HoldBytes& hold = state.sites[site].holds[attempt];
  const int phase = PhaseOf(state, attempt);
  const HoldState h = StateOf(hold);
  if (h == HoldState::kPrepared || h == HoldState::kCommitted) return phase >= kPhaseDeadline;
  const bool waits = PartOf(hold) == PartState::kBooked || PartOf(hold) == PartState::kReady;
  if (config.planted == Planted::kLateStart) return false;
  return h == HoldState::kPermitted && waits && !hold.pending && hold.loan == 0 &&
         phase >= LastStartPhase(config);
}

const char* ToText(Planted planted) {
  static constexpr const char* kNames[kPlantedCount] = {"nothing",
                                                        "a prepared hold ends with a lease",
                                                        "decided on the first answer",
                                                        "permitted before ready",
                                                        "a release leaves no tombstone",
                                                        "placed again on silence",
                                                        "orders of an old epoch are heard",
                                                        "the start is written after the spawn",
                                                        "a restart asks no driver",
                                                        "a permit is sent before it is written",
                                                        "the rival attempt is not looked at",
                                                        "nothing ends a late start",
                                                        "a closed fence is made anew",
                                                        "effect left out: write the decision",
                                                        "effect left out: write the permit",
                                                        "effect left out: write superseded",
                                                        "effect left out: write the outcome",
                                                        "effect left out: resume the search",
                                                        "effect left out: place again",
                                                        "a loan is written after the spawn",
                                                        "a restart asks no driver for loans",
                                                        "a start beside a loan",
                                                        "a restart repeats no pause"};
  return kNames[static_cast<int>(planted)];
}

uint32_t EffectLeftOut(Planted planted) {
  switch (planted) {
    case Planted::kNoDecisionWritten:
      return kWriteDecision;
    case Planted::kNoPermitWritten:
      return kWritePermit;
    case Planted::kNoSupersededWritten:
      return kWriteSuperseded;
    case Planted::kNoOutcomeWritten:
      return kWriteOutcome;
    case Planted::kNoResumedSearch:
      return kResumeSearch;
    case Planted::kNoPlaceAgain:
      return kPlaceAgain;
    default:
      return 0;
  }
}

std::string ToText(const Move& move) {
  static constexpr const char* kNames[] = {"time goes on",
                                           "attempt made",
                                           "answer overdue",
                                           "member silent",
                                           "user cancels",
                                           "order arrives",
                                           "order arrives, a copy follows",
                                           "order lost",
                                           "change arrives",
                                           "part ready",
                                           "start written",
                                           "spawn",
                                           "start seen",
                                           "process ends",
                                           "end seen",
                                           "deadline",
                                           "lease ends",
                                           "site crashes",
                                           "site restarts",
                                           "meta crashes",
                                           "meta crashes, its orders are lost",
                                           "meta restarts",
                                           "link opens",
                                           "compared",
                                           "permit repeated",
                                           "write done",
                                           "room lent",
                                           "spawn on lent room",
                                           "start on lent room seen",
                                           "process on lent room ends",
                                           "process on lent room ends as told",
                                           "end on lent room seen",
                                           "recalled",
                                           "kept",
                                           "paused",
                                           "goes on",
                                           "its driver obeys"};
  static constexpr const char* kOrders[] = {"hold", "commit", "permit", "release"};
  std::string text = kNames[static_cast<int>(move.kind)];
  const bool order = move.kind == MoveKind::kDeliver || move.kind == MoveKind::kDuplicate ||
                     move.kind == MoveKind::kLose;
  if (order) {
    text += std::string(" (") + kOrders[move.order / 2 % 4] + ", epoch " +
            std::to_string(move.order % 2 + 1) + ")";
  }
  const int attempt = order ? move.order / 8 : move.attempt;
  return text + " [site " + std::to_string(move.site) + ", attempt " + std::to_string(attempt) +
         "]";
}

State Model::Initial() const {
  State state{};
  state.meta_up = 1;
  state.epoch = 1;
  state.seeks = 1;
  for (SiteBytes& site : state.sites) {
    site.up = 1;
    site.epoch = 1;
    site.synced = 2;
  }
  return state;
}

std::vector<Move> Model::Moves(const State& state, bool faults) const {
  std::vector<Move> out;
  MetaMoves(state, config_, faults, out);
  for (int site = 0; site < kSites; ++site) SiteMoves(state, config_, site, faults, out);
  // Time advances only when no deadline of a running site is due, since a due one fires within a
  // turn, and only once the first attempt exists.
  bool due = !state.attempts[0].exists;
  for (int site = 0; site < kSites; ++site) {
    for (int a = 0; a < kAttempts; ++a) {
      due = due || (state.sites[site].up && DeadlineDue(state, config_, site, a));
    }
  }
  bool moves = false;
  for (const AttemptBytes& a : state.attempts) moves = moves || (a.exists && a.phase < kLastPhase);
  if (!due && moves) out.push_back(Of(MoveKind::kTime));
  return out;
}

std::optional<std::string> Model::Apply(State& state, const Move& move) const {
  const std::optional<std::string> broken = Turn(config_, state).Make(move);
  Normalise(state);
  return broken;
}

void Model::Normalise(State& state) {
  // There is no third attempt, and no further attempt for a request that is over.
  if (state.attempts[1].exists || state.done || state.cancelled) state.seeks = 0;
  for (int a = 0; a < kAttempts; ++a) {
    bool over = state.attempts[a].exists && StateOf(state.attempts[a]) == AttemptState::kClosed;
    for (int site = 0; site < kSites; ++site) {
      SiteBytes& host = state.sites[site];
      HoldBytes& hold = host.holds[a];
      if (StateOf(hold) == HoldState::kClosed && hold.process != 1 && hold.loan_process != 1) {
        hold.part = hold.started = hold.stopping = 0;
        hold.process = hold.loan = hold.loan_process = hold.recalls = 0;
        hold.loan_frozen = hold.loan_word = 0;
      }
      bool quiet = StateOf(hold) == HoldState::kClosed || StateOf(hold) == HoldState::kNone;
      for (int i = 0; i < host.feed_length; ++i) quiet = quiet && host.feed[i].attempt != a;
      for (int order = a * 8; order < (a + 1) * 8; ++order) quiet = quiet && !host.orders[order];
      over = over && quiet;
    }
    if (over) state.attempts[a].phase = kLastPhase;
  }
}

std::optional<std::string> Model::AtRest(const State& state) const {
  for (int a = 0; a < kAttempts; ++a) {
    const AttemptBytes& attempt = state.attempts[a];
    if (!attempt.exists) continue;
    int ran = 0;
    int members = 0;
    for (int site = 0; site < kSites; ++site) {
      if (!IsMember(config_, a, site)) continue;
      const HoldBytes& hold = state.sites[site].holds[a];
      ++members;
      ran += hold.runs > 0 ? 1 : 0;
      if (StateOf(hold) != HoldState::kNone && StateOf(hold) != HoldState::kClosed)
        return "G4: a hold never ends";
    }
    if (ran > 0 && ran < members && !attempt.counted_partial)
      return "G1: a partial start is not counted";
    const bool open = StateOf(attempt) != AttemptState::kClosed;
    if (open) return "no idle wait: an attempt stays open though all its holds are closed";
  }
  const bool over = state.done || state.cancelled || state.attempts[1].exists;
  if (!over) return "no idle wait: the request is not placed again";
  return std::nullopt;
}

}  // namespace muster::verifier::exploration
