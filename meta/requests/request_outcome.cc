// Decides the next state of a request after an attempt, and puts the cause on record.
#include "meta/requests/request_outcome.h"

#include <algorithm>

#include "base/check.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/points.h"
#include "meta/requests/rank.h"
#include "meta/requests/request_state.h"
#include "meta/requests/reservations.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/timeline.h"
#include "meta/requests/trials.h"
#include "meta/requests/windows.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::HoldState;
using schemas::PartState;
using schemas::RequestState;

// The cause to record for a lost place. If the place was given back for an earlier one elsewhere
// (meta/search/relocation.h) that could then not be had, the cause says why not: the other site
// is gone, or the meta restarted and forgot the search.
schemas::Cause CauseOfLoss(const RequestsLayer& f, const Request& request,
                           const schemas::Cause& cause) {
  if (cause.code != schemas::CauseCode::kBackfilled) return cause;
  const auto it =
      request.record().attempt ? f.attempts.find(*request.record().attempt) : f.attempts.end();
  const bool in_this_life = it != f.attempts.end() && it->second.released;
  if (in_this_life) return {schemas::CauseCode::kSiteSilent, cause.subject, "meta"};
  return {schemas::CauseCode::kMetaOutage, {}, "meta"};
}

RequestFacts FactsOf(const RequestsLayer& f, const Turn& t, const Request& request) {
  RequestFacts facts;
  facts.outcome = request.record().outcome;
  facts.cancelling = request.Cancelling();
  facts.parked = request.state() == RequestState::kParked;
  if (!request.record().attempt) return facts;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end()) return facts;
  const Attempt& attempt = it->second;
  facts.several = attempt.Several();
  if (attempt.state() == schemas::AttemptState::kClosed) {
    facts.undecidable = request.state() == RequestState::kUnknown;
    return facts;
  }
  if (!verifier::Binds(attempt.state())) return facts;
  facts.attempt = attempt.state();
  facts.all_started = true;
  const bool last_start_passed =
      attempt.record().permit && t.plan > ToMoment(attempt.record().permit->last_start);
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    const schemas::MirrorRecord* hold = nullptr;
    const schemas::MirrorPart* part = PartAt(f, attempt, i, &hold);
    const PartState state = part ? part->state : PartState::kBooked;
    if (state >= PartState::kStarting) facts.any_starting = true;
    if (!part || !part->started_at) facts.all_started = false;
    const Site& site = f.sites.at(attempt.record().part_sites[i]);
    const bool open = !hold || hold->state != HoldState::kClosed;
    if (open && site.Silent() && state < PartState::kEnded &&
        (state >= PartState::kStarting || last_start_passed)) {
      facts.unheard = true;
    }
  }
  return facts;
}

// A recall takes no place away: there was none to keep.
bool WasRecalled(const Attempt& attempt, const schemas::Cause& cause) {
  return attempt.record().only_lent && cause.code == schemas::CauseCode::kPreempted;
}

// What became of a life with only lent room that was recalled. What it saved need not be asked for
// again.
void NoteRecall(RequestsLayer& f, Request& request, const Attempt& attempt) {
  const schemas::MirrorPart* part = PartAt(f, attempt, 0);
  if (part == nullptr || part->booking.recalls == 0) return;
  schemas::RequestRecord& record = f.requests.Edit(request);
  ++record.recalls;
  record.lost = record.lost + part->booking.lost;
  const Span saved = std::clamp(part->booking.saved, Span{0}, record.spec.duration - Span{1});
  record.saved = record.saved + saved;
  record.spec.duration = record.spec.duration - saved;
  if (record.spec.contract && record.spec.contract->max_recalls > 0) {
    --record.spec.contract->max_recalls;
  }
}

}  // namespace

void RefreshState(RequestsLayer& f, Turn& t, Request& request) {
  const RequestState shown = ShownState(FactsOf(f, t, request));
  // If a site takes back what it reported, the user's job does not go back to an earlier state.
  if (!MayFollow(request.state(), shown)) return;
  // Requests that depend on this one lose the end that they count on, or have one again.
  if (shown == RequestState::kUnknown || request.state() == RequestState::kUnknown) {
    t.moved.insert(request.id());
  }
  f.requests.SetState(request, shown);
}

void EndRequest(RequestsLayer& f, Turn& t, Request& request, schemas::Outcome outcome,
                std::string text, std::optional<schemas::Reason> reason) {
  if (request.Ended()) return;
  const RequestId id = request.id();
  f.requests.SetState(request, RequestState::kEnded);
  // This comes after SetState: an ended request is not placed again.
  EndAlteration(f, request, {.code = "conflict", .message = Named(request) + " has ended"});
  schemas::RequestRecord& record = f.requests.Edit(request);
  record.outcome = outcome;
  record.reason = std::move(reason);
  t.ended.push_back(id);
  request.replacing.reset();
  f.room.Remove(id);
  ForgetWindow(f, request);
  // The record of an element is kept as long as its array's.
  if (!id.is_element()) f.ended.Add(t.plan, id);
  f.dependents.Remove(id, request.record().spec);
  GiveBackPlace(f, t, request);
  t.moved.insert(id);
  TellThoseInside(f, request);
  FreeLien(f, request);
  f.limit_use.Close(id);
  const char* code = outcome == schemas::Outcome::kCancelled ? "cancelled"
                     : outcome == schemas::Outcome::kRefused ? "refused"
                                                             : "ended";
  AddEvent(f, t, request, code, std::move(text));
  if (request.seeking) f.attempts.Touch(*request.seeking);
}

bool CannotFollow(const Request& request) {
  const std::optional<schemas::Reason>& why = request.record().reason;
  return why && why->code == schemas::ReasonCode::kDependency;
}

void EndCancelling(RequestsLayer& f, Turn& t, Request& request) {
  const std::optional<schemas::Reason> why = request.record().reason;
  if (CannotFollow(request)) {
    EndRequest(f, t, request, schemas::Outcome::kRefused, why->text, why);
  } else {
    EndRequest(f, t, request, schemas::Outcome::kCancelled, "cancelled", why);
  }
}

void PlaceAgain(RequestsLayer& f, Turn& t, Request& request, const schemas::Cause& why,
                const std::string& text) {
  const schemas::Cause cause = CauseOfLoss(f, request, why);
  schemas::RequestRecord& record = f.requests.Edit(request);
  const auto lost = record.attempt ? f.attempts.find(*record.attempt) : f.attempts.end();
  const bool recalled = lost != f.attempts.end() && WasRecalled(lost->second, cause);
  record.attempt.reset();
  f.attempts.Tell(WaitsAgain{request.id()});
  if (!record.parked && !recalled) ++record.replacements;
  const bool held = request.record().parked;
  AddEvent(f, t, request, "dropped",
           held ? "its place is given back" : text + ": " + CauseText(cause));
  if (request.Cancelling()) return;
  t.moved.insert(request.id());
  f.requests.SetState(request, held ? RequestState::kParked : RequestState::kWaiting);
  SettleTrial(f, t, request);
  schemas::Figures none;
  if (held) {
    record.reason = ParkedReason();
    FreeLien(f, request);
    none.no_promise_reason = record.reason;
    TellFigures(f, request, std::move(none), cause, t.plan);
    return;
  }
  if (request.record().replacements > schemas::kReplacementsPerRequest) {
    CountWait(f, request, t.plan);
    f.requests.SetState(request, RequestState::kParked);
    FreeLien(f, request);
    record.reason =
        schemas::Reason{.code = schemas::ReasonCode::kContended,
                        .subject = cause.subject,
                        .text = "parked after " + std::to_string(request.record().replacements) +
                                " lost places, the last by " + CauseText(cause)};
    none.no_promise_reason = record.reason;
    TellFigures(f, request, std::move(none), cause, t.plan);
    return;
  }
  record.reason.reset();
  TellFigures(f, request, std::move(none), cause, t.plan);
  WatchWindow(f, request);
  if (!request.seeking) f.room.Ready(RankOf(request));
}

std::optional<std::string> SiteOfFailedPart(const RequestsLayer& f, const Request& request,
                                            const Attempt& attempt) {
  const std::vector<std::string>& sites = attempt.record().part_sites;
  if (request.record().spec.keep_going || sites.size() < 2) return std::nullopt;
  for (size_t i = 0; i < sites.size(); ++i) {
    const schemas::MirrorPart* part = PartAt(f, attempt, i);
    if (!part || part->state != PartState::kEnded) continue;
    if (part->end.by != schemas::EndedBy::kExit || part->end.exit_code != 0) return sites[i];
  }
  return std::nullopt;
}

std::optional<LostPlace> SettleOutcome(RequestsLayer& f, Turn& t, Request& request,
                                       const Attempt& attempt) {
  std::vector<PartFacts> parts;
  schemas::Cause cause = attempt.record().cause;
  bool started = false;
  std::string text;
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    const schemas::MirrorRecord* hold = nullptr;
    const schemas::MirrorPart* part = PartAt(f, attempt, i, &hold);
    PartFacts facts;
    if (hold) facts.started = hold->started;
    if (part) {
      facts.end = part->end;
      facts.ended_at = part->ended_at;
      started = started || part->started_at.has_value();
    }
    if (hold && cause.code == schemas::CauseCode::kNone) cause = hold->cause;
    const bool lost = attempt.lost.contains(attempt.record().part_sites[i]);
    if (lost && (!hold || hold->state != HoldState::kClosed)) {
      facts.started = schemas::Started::kUnknown;
      if (facts.end.by == schemas::EndedBy::kNotEnded) facts.end.by = schemas::EndedBy::kUnknown;
    }
    parts.push_back(facts);
  }
  const bool cancelled = request.Cancelling();
  const bool for_no_reason = cause.code == schemas::CauseCode::kNone;
  if (for_no_reason && !cancelled && !request.record().parked) {
    cause = {schemas::CauseCode::kSiteSilent, {.site = attempt.record().members[0]}, "meta"};
  }
  switch (EndingOf(parts, cancelled, request.record().spec.rerunnable)) {
    case Ending::kDone:
      EndRequest(f, t, request, schemas::Outcome::kDone, "done");
      break;
    case Ending::kFailed:
      EndRequest(f, t, request, schemas::Outcome::kFailed, "failed");
      break;
    case Ending::kTimeout:
      EndRequest(f, t, request, schemas::Outcome::kTimeout, "reached its walltime");
      break;
    case Ending::kCancelled:
      EndRequest(f, t, request, schemas::Outcome::kCancelled,
                 started ? "cancelled while it ran" : "cancelled before its start");
      break;
    case Ending::kAgain:
      if (WasRecalled(attempt, cause)) NoteRecall(f, request, attempt);
      return LostPlace{cause, started ? "stopped, placed again" : "did not start, placed again"};
    case Ending::kUndecidable:
      f.requests.SetState(request, RequestState::kUnknown);
      f.requests.SetReason(request, {.code = schemas::ReasonCode::kSilent,
                                     .subject = cause.subject,
                                     .text = "outcome unknown: no site can tell whether it ran"});
      AddEvent(f, t, request, "ended", "outcome unknown");
      break;
  }
  return std::nullopt;
}

}  // namespace muster::meta
