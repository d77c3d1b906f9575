// One turn: the events in order, what time made due, the attempts that both touched, the next wave.
// Then the changed records become one batch, and messages follow it.
#include "meta/core.h"

#include <algorithm>

#include "meta/attempts/attempts.h"
#include "meta/attempts/closing.h"
#include "meta/forecast/faring.h"
#include "meta/forecast/forecasting.h"
#include "meta/forecast/run_history.h"
#include "meta/forecast/scoring.h"
#include "meta/load.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/array_states.h"
#include "meta/requests/balance.h"
#include "meta/requests/credits.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/points.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservation_times.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/told_shares.h"
#include "meta/requests/use_sums.h"
#include "meta/requests/windows.h"
#include "meta/search/gaps.h"
#include "meta/search/gate_moves.h"
#include "meta/search/moves.h"
#include "meta/search/on_attempts.h"
#include "meta/search/proposal_round.h"
#include "meta/search/queueing.h"
#include "meta/search/search_steps.h"
#include "meta/service/alter.h"
#include "meta/service/alter_answers.h"
#include "meta/service/audit.h"
#include "meta/service/client_service.h"
#include "meta/service/digest.h"
#include "meta/service/explain.h"
#include "meta/service/following.h"
#include "meta/service/job_operations.h"
#include "meta/service/reload.h"
#include "meta/service/site_answers.h"
#include "meta/service/site_queries.h"
#include "meta/service/what_if.h"
#include "meta/site_messages.h"
#include "meta/sites/links.h"
#include "meta/sites/say.h"
#include "meta/turn/keys.h"
#include "meta/turn/turn.h"
#include "meta/verdicts.h"

namespace muster::meta {
namespace {

struct Happen {
  ServiceLayer& f;
  Turn& t;

  void operator()(const SiteSays& e) const { OnSite(f, t, e); }
  void operator()(const SiteGarbage& e) const {
    const auto it = f.sites.find(e.site);
    if (it != f.sites.end()) OnNonsense(f, t, it->second, e.why);
  }
  void operator()(const ClientSays& e) const { OnClient(f, t, e); }
  void operator()(const DiskState& e) const { f.disk_low = e.low; }
  void operator()(const Reconfigured& e) const {
    for (const std::string& gone : OnReconfigured(f, t, e)) GoSilent(f, t, f.sites.at(gone));
  }
  void operator()(const WhatIfDone& e) const { OnWhatIfDone(f, t, e); }
  void operator()(const SecretsDrawn& e) const {
    if (f.secrets.empty()) {
      // Permits may have waited for these secrets.
      for (const auto& [name, site] : f.sites) {
        f.attempts.Touch(site.attempts);
      }
    }
    f.secrets.Add(e.secrets);
  }
};

// After a start: ends cancelled requests that have no open attempt on record, and settles requests
// whose place was given back for another one that the restart forgot.
void FinishWhatClosed(ServiceLayer& f, Turn& t) {
  const std::set<RequestId> open = f.requests.open();
  for (const RequestId id : open) {
    Request& request = *f.requests.Find(id);
    if (!request.attempts.empty()) continue;
    if (request.Cancelling()) {
      EndCancelling(f, t, request);
      continue;
    }
    if (!request.record().attempt || request.state() == schemas::RequestState::kUnknown) continue;
    const auto closed = f.attempts.find(*request.record().attempt);
    if (closed == f.attempts.end()) continue;
    const Fence fence = closed->first;
    if (const auto lost = SettleOutcome(f, t, request, closed->second)) {
      PlaceAgain(f, t, request, lost->cause, lost->text);
    }
    if (request.record().attempt != fence) EraseAttempt(f, fence);
  }
}

void EndPassedWindows(ServiceLayer& f, Turn& t) {
  while (const std::optional<RequestId> id = f.windows.TakeBefore(t.plan.Floor())) {
    Request* request = f.requests.Find(*id);
    if (!request || request->Ended() || request->record().attempt) continue;
    if (EndIfHopeless(f, t, *request)) continue;
    // Sites may have become faster, so that its last start is later now. Then it is watched again.
    if (LastStart(f, request->record().spec) >= t.plan.Floor()) WatchWindow(f, *request);
  }
}

void EraseRecord(ServiceLayer& f, RequestId id) {
  const Request& request = *f.requests.Find(id);
  if (request.record().attempt && f.attempts.contains(*request.record().attempt)) {
    EraseAttempt(f, *request.record().attempt);
  }
  f.bank.SetLien(id, nullptr);
  f.requests.Erase(id);
  f.searches.Erase(id);
}

void ForgetOldRecords(ServiceLayer& f, Turn& t) {
  const Moment before{t.plan.milliseconds - schemas::kRecordKeep.seconds * 1000};
  while (const std::optional<RequestId> ended = f.ended.TakeBefore(before)) {
    const RequestId id = *ended;
    const Request* request = f.requests.Find(id);
    if (!request || !request->attempts.empty()) continue;
    std::vector<RequestId> all = TargetsOf(f, *request);
    if (request->record().spec.array) all.push_back(id);
    const bool open = std::any_of(all.begin(), all.end(), [&](RequestId one) {
      return !f.requests.Find(one)->attempts.empty();
    });
    if (open) {
      f.ended.Add(t.plan, id);  // checked again after the same time
      continue;
    }
    for (const RequestId one : all) EraseRecord(f, one);
    f.arrays.Erase(id);
  }
}

// Passes the news of lower rooms to the search and the service, in order of occurrence: what one
// attempt led to is handled before the next attempt is evaluated.
void PassNewsUp(ServiceLayer& f, Turn& t) {
  CountEnded(f, t);
  TakeAttemptNews(f, t);
  TellAltered(f, t);
}

void WhatTimeMadeDue(ServiceLayer& f, Turn& t) {
  NoticeSilence(f, t);
  EndOverdueQuestions(f, t);
  PassNewsUp(f, t);
  EndOverdueInspections(f, t);
  ForgetFollowers(f, t);
  f.room.WakeDue(t.boot());
  EndPassedWindows(f, t);
  PassNewsUp(f, t);
  while (const std::optional<RequestId> id = NextUnconfirmed(f, t)) {
    Request& request = *f.requests.Find(*id);
    CancelOne(f, t, request, request.record().requester.user);
  }
  EndOverdueAlters(f, t);
  ForgetOldRecords(f, t);
  ForgetOldAudit(f, t);
  ForgetOldUse(f, t.plan);
  EndOverdueExplains(f, t);
  f.attempts.TouchDue(t.boot());
}

void LookAtAttempts(ServiceLayer& f, Turn& t) {
  // Evaluating an attempt may touch another one (it is superseded, its request waits again), but
  // never itself. Attempts left after kRounds are evaluated in the next turn, which follows at
  // once.
  constexpr int kRounds = 32;
  TellThoseAfter(f, t);
  PassNewsUp(f, t);
  for (int round = 0; round < kRounds && f.attempts.touched(); ++round) {
    for (const Fence& fence : f.attempts.TakeTouched()) {
      Evaluate(f, t, fence);
      PassNewsUp(f, t);
    }
    TellThoseAfter(f, t);
    PassNewsUp(f, t);
  }
}

// One write for each record that the turn changed.
void FlushWrites(ServiceLayer& f, Turn& t) {
  f.identity.TakeWrites(kIdentityKey, t.out.writes);
  f.fresh = false;
  t.requests = f.requests.due();
  f.askers.NoteChanged(t.requests);
  f.requests.TakeWrites(t.out.writes);
  f.attempts.TakeWrites(t.out.writes);
  f.node_orders.TakeWrites(t.out.writes);
  f.keys.TakeWrites(t.out.writes);
  f.audit.TakeWrites(t.out.writes);
  f.outcomes.TakeWrites(t.out.writes);
  f.use.TakeWrites(t.out.writes);
  f.bank.TakeWrites(t.out.writes);
  f.fares.TakeWrites(FareKey, t.out.writes);
  f.scheduler.record.TakeWrites(kSchedulerKey, t.out.writes);
  for (auto& [name, site] : f.sites) {
    if (site.TakeDue()) t.out.writes.push_back({SiteKey(name), site.Stored()});
  }
  for (auto& [name, site] : f.sites) site.mirror.TakeWrites(MirrorKey, t.out.writes);
}

void SetAlarm(const ServiceLayer& f, Turn& t) {
  const auto by = [&t](std::optional<BootInstant> at) {
    if (at) t.WakeBy(std::max(*at, t.boot() + Milliseconds(1)));
  };
  by(NextSilence(f));
  by(NextInspectionEnd(f));
  by(NextWhatIfEnd(f));
  by(NextExplainEnd(f));
  by(f.prover.NextOverdue());
  by(f.room.NextWake());
  by(f.alters.NextEnd());
  if (const auto due = f.provisional.Next()) by(BootOf(f, *due));
  by(f.attempts.NextWake());
  if (const auto last = f.windows.Next()) by(BootOf(f, ToMoment(*last + Span{1})));
  by(f.followers.NextEnd());
  if (f.attempts.touched() || (f.room.HasReady() && !f.wave)) by(t.boot());
  by(NextExtraction(f, t));
  if (const auto at = NextRanking(f)) by(BootOf(f, *at));
  if (const auto at = f.bank.NextDue()) by(BootOf(f, ToMoment(*at)));
  by(NextMove(f));
}

}  // namespace

struct Core::State {
  ServiceLayer f;
  Forecasts forecasts;
  Faring faring = {};
};

Core::Core(std::unique_ptr<State> state) : state_(std::move(state)) {}
Core::Core(const Core& other) : state_(std::make_unique<State>(*other.state_)) {}
Core::Core(Core&&) noexcept = default;
Core& Core::operator=(const Core& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Core& Core::operator=(Core&&) noexcept = default;
Core::~Core() = default;

absl::StatusOr<Core> Core::Load(Options options,
                                std::vector<std::pair<std::string, schemas::MetaRecord>> records,
                                Now now) {
  MUSTER_ASSIGN_OR_RETURN(ServiceLayer f,
                          LoadFederation(std::move(options), std::move(records), now));
  Forecasts forecasts;
  forecasts.known = Recall(f);
  return Core(std::make_unique<State>(State{std::move(f), std::move(forecasts)}));
}

Effects Core::Step(Now now, const std::vector<Event>& events) {
  ServiceLayer& f = state_->f;
  Turn t;
  t.now = now;
  if (f.clock.Update(now) == verifier::PlanClock::Event::kJumped) {
    t.Note("the clock of this machine jumped; plan time goes on as it was");
  }
  t.plan = f.clock.Read();
  if (f.fresh) FinishWhatClosed(f, t);
  if (JudgeCeilings(f, t.plan)) NoteEased(f);
  WorkOutBalances(f, t);
  f.bank.Advance(t.plan);
  for (const Event& event : events) {
    std::visit(Happen{f, t}, event);
    PassNewsUp(f, t);
    // Each event is handled on the result of the events before it.
    LookAtAttempts(f, t);
  }
  WhatTimeMadeDue(f, t);
  LookAtAttempts(f, t);
  if (RankAnew(f, t)) {
    f.gaps.NoteReordered();
    state_->forecasts.due = true;
  }
  TellShares(f, t);
  // Releases are sent before new questions, so that the sites no longer count what was given up.
  FlushOrders(f, t);
  StartWave(f, t);
  PassNewsUp(f, t);
  LookAtAttempts(f, t);
  if (const size_t wanted = f.secrets.Wanted(); wanted > 0) t.out.secrets_wanted = wanted;
  RefreshArrays(f, t);
  while (!t.moved.empty()) {
    // An array ended with its last element, and other requests may depend on it.
    TellThoseAfter(f, t);
    LookAtAttempts(f, t);
    RefreshArrays(f, t);
  }
  const Audience audience = AudienceOf(f);
  const bool order_known = Forecast(f, state_->forecasts, t, audience);
  if (order_known && audience.awaits_order) OrderIsKnown(f, t);
  state_->faring.GoOn(f, state_->forecasts.known, t);
  FlushOrders(f, t);
  // What was set aside until now may have kept what has ended.
  f.bank.Advance(t.plan);
  if (MayPayMore(f, t.plan)) {
    f.searches.ForgetAllPrices();
    f.room.WakeBroke();
  }
  FlushWrites(f, t);
  TellFollowers(f, t);
  TellWatchers(f, t);
  TellForecasts(f, state_->forecasts, t);
  SetAlarm(f, t);
  return std::move(t.out);
}

std::vector<HeardKey> Core::HeardKeys() const {
  return state_->f.keys.Heard(state_->f.options.keys);
}

Digest Core::StateDigest() const { return DurableDigest(state_->f); }

std::vector<schemas::RequestRecord> Core::Requests() const {
  std::vector<schemas::RequestRecord> out;
  for (const auto& [id, request] : state_->f.requests.all()) out.push_back(request.record());
  return out;
}

std::vector<schemas::AttemptRecord> Core::Attempts() const {
  std::vector<schemas::AttemptRecord> out;
  for (const auto& [fence, attempt] : state_->f.attempts) out.push_back(attempt.record());
  return out;
}

schemas::SchedulerRecord Core::Scheduler() const { return *state_->f.scheduler.record; }

std::vector<schemas::MirrorRecord> Core::Mirror() const {
  std::vector<schemas::MirrorRecord> out;
  for (const auto& [name, site] : state_->f.sites) {
    for (const auto& [fence, hold] : site.mirror.holds()) out.push_back(hold);
  }
  return out;
}

}  // namespace muster::meta
