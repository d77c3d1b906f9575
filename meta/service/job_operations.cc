// The effect on a job depends on its state; each verb reports it in one line.
#include "meta/service/job_operations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meta/attempts/closing.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/credits.h"
#include "meta/requests/figures.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/points.h"
#include "meta/requests/rank.h"
#include "meta/requests/refusals.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservations.h"
#include "meta/requests/timeline.h"
#include "meta/requests/windows.h"
#include "meta/search/replacement.h"
#include "meta/service/alter_answers.h"
#include "meta/service/audit.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::ActVerb;
using schemas::Refused;
using schemas::RequestState;

std::string ParkOne(ServiceLayer& f, Turn& t, Request& request, const std::string& user) {
  switch (request.state()) {
    case RequestState::kEnded:
      return "had ended already";
    case RequestState::kCancelling:
      return "is being cancelled already";
    case RequestState::kParked:
      f.requests.Edit(request).parked = true;
      return "is held already";
    case RequestState::kStarting:
    case RequestState::kRunning:
      return "runs already; hold keeps jobs from starting, cancel ends them";
    case RequestState::kUnknown:
      return "may run already: its outcome is unknown";
    case RequestState::kWaiting:
    case RequestState::kPromised:
      break;
  }
  const bool promised = request.state() == RequestState::kPromised;
  AlterFails(f, t, request,
             schemas::Refused{.code = "conflict", .message = Named(request) + " is held"});
  TellAltered(f, t);
  CountWait(f, request, t.plan);
  f.requests.Edit(request).parked = true;
  request.replacing.reset();
  f.room.Remove(request.id());
  f.attempts.Touch(request.attempts);  // the attempts must follow what the request wants now
  t.moved.insert(request.id());
  const std::string by = user == request.record().requester.user ? "" : " by " + user;
  AddEvent(f, t, request, "parked", "held" + by);
  if (promised) return "held; its place is given back";
  f.requests.SetState(request, RequestState::kParked);
  FreeLien(f, request);
  f.requests.SetReason(request, ParkedReason());
  return "held";
}

std::string UnparkOne(ServiceLayer& f, Turn& t, Request& request, const std::string& user) {
  if (request.Ended()) return "had ended already";
  if (!request.record().parked && request.state() != RequestState::kParked) {
    return "was not held";
  }
  CountWait(f, request, t.plan);
  schemas::RequestRecord& record = f.requests.Edit(request);
  record.parked = false;
  record.replacements = 0;
  const std::string by = user == request.record().requester.user ? "" : " by " + user;
  AddEvent(f, t, request, "unparked", "may start again" + by);
  if (request.state() == RequestState::kParked) {
    f.requests.SetState(request, RequestState::kWaiting);
    record.reason.reset();
    f.searches.ForgetTries(request.id());
    WatchWindow(f, request);
    if (!request.seeking) f.room.Ready(RankOf(request));
  }
  t.moved.insert(request.id());
  return "may start again";
}

// protocol.md section 3.2: a person decides what no site can report. The meta closes the attempts.
// If a site reports one of them again, that site is ordered to release it.
std::string SettleOne(ServiceLayer& f, Turn& t, Request& request, schemas::Settlement settled,
                      const std::string& who) {
  const bool ended = settled == schemas::Settlement::kEnded;
  const std::string text =
      ended ? "outcome given up: it ran, or may have" : "said to have never run";
  const std::vector<Fence> open(request.attempts.begin(), request.attempts.end());
  AddEvent(f, t, request, "settled", text + ", by " + who);
  for (const Fence& fence : open) {
    Attempt& attempt = f.attempts.at(fence);
    f.attempts.Enter(attempt, schemas::AttemptState::kClosed);
    attempt.released = true;
    CloseAttempt(f, t, attempt);
  }
  if (ended) {
    EndRequest(f, t, request, schemas::Outcome::kLost, text);
    return "ended, its outcome lost";
  }
  const std::optional<Fence> before = request.record().attempt;
  PlaceAgain(f, t, request, {schemas::CauseCode::kOperator, {}, "user:" + who}, "placed again");
  const auto old = before ? f.attempts.find(*before) : f.attempts.end();
  if (old != f.attempts.end() && old->second.state() == schemas::AttemptState::kClosed) {
    EraseAttempt(f, *before);
  }
  return "waits to be placed again";
}

void Accepted(ServiceLayer& f, Turn& t, const Asker& asker, const std::vector<RequestId>& requests,
              std::vector<std::string> notes) {
  TellAltered(f, t);
  schemas::Accepted out;
  out.requests = requests;
  for (const RequestId id : requests) out.states.push_back(f.requests.Find(id)->state());
  out.notes = std::move(notes);
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

// The result in one line; for an array, each result with the number of elements that had it.
template <class One>
std::string OnAll(ServiceLayer& f, Request& request, One one) {
  if (!request.record().spec.array) return one(request);
  std::map<std::string, size_t> notes;
  for (const RequestId id : TargetsOf(f, request)) {
    Request* element = f.requests.Find(id);
    if (element && !element->Ended()) ++notes[one(*element)];
  }
  f.requests.Touch(request.id());
  std::string out;
  for (const auto& [note, count] : notes) {
    out += (out.empty() ? "" : "; ") + std::to_string(count) +
           (count == 1 ? " element " : " elements ") + note;
  }
  return out.empty() ? "had ended already" : out;
}

// "this would break 2 promises inside and stop 1 job that runs there", listing the jobs.
Refused WouldBreak(const LostInside& lost) {
  const size_t promised = lost.promised.size();
  const size_t running = lost.running.size();
  Refused why{.code = "conflict",
              .message = "this would ",
              .help = "go ahead with --yes",
              .changed = "nothing was cancelled"};
  if (promised > 0) {
    why.message += "break " + std::to_string(promised) +
                   (promised == 1 ? " promise" : " promises") + " inside";
  }
  if (running > 0) {
    why.message += std::string(promised > 0 ? " and " : "") + "stop " + std::to_string(running) +
                   (running == 1 ? " job that runs there" : " jobs that run there");
  }
  for (const std::vector<schemas::MoveRow>* rows : {&lost.promised, &lost.running}) {
    for (const schemas::MoveRow& row : *rows) {
      why.detail += (why.detail.empty() ? "" : ", ") + row.job;
    }
  }
  return why;
}

}  // namespace

void OnPark(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  if (!MayActOn(f, t, asker, act.requests, kNothingChanged)) return;
  const bool park = act.verb == ActVerb::kPark;
  std::vector<std::string> notes;
  for (const RequestId id : act.requests) {
    Request& request = *f.requests.Find(id);
    if (request.record().spec.array) f.requests.Edit(request).parked = park && !request.Ended();
    notes.push_back(OnAll(f, request, [&](Request& one) {
      return park ? ParkOne(f, t, one, asker.user) : UnparkOne(f, t, one, asker.user);
    }));
  }
  Accepted(f, t, asker, act.requests, std::move(notes));
}

void OnSettle(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  if (!MayActOn(f, t, asker, act.requests, kNothingChanged)) return;
  std::vector<RequestId> targets;
  for (const RequestId id : act.requests) {
    const Request& request = *f.requests.Find(id);
    for (const RequestId one : TargetsOf(f, request)) {
      const bool unknown = f.requests.Find(one)->state() == RequestState::kUnknown;
      if (unknown) targets.push_back(one);
      if (unknown || request.record().spec.array) continue;
      return Refuse(f, t, asker,
                    {.code = "conflict",
                     .message = "the outcome of job " + ToText(one) + " is not unknown",
                     .help = "muster show " + ToText(one),
                     .changed = kNothingChanged});
    }
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  std::vector<std::string> notes;
  for (const RequestId id : targets) {
    notes.push_back(SettleOne(f, t, *f.requests.Find(id), act.settled, asker.user));
    Audit(f, t, "user:" + asker.user, "settle",
          ToText(id) + (act.settled == schemas::Settlement::kEnded ? " ended" : " never-ran"),
          notes.back());
  }
  Accepted(f, t, asker, targets, std::move(notes));
}

std::string CancelOne(ServiceLayer& f, Turn& t, Request& request, const std::string& user) {
  if (request.Ended()) return "had ended already";
  if (request.record().spec.array) {
    return OnAll(f, request, [&](Request& one) { return CancelOne(f, t, one, user); });
  }
  if (request.Cancelling()) return "is being cancelled already";
  AlterFails(f, t, request,
             schemas::Refused{.code = "conflict", .message = Named(request) + " is cancelled"});
  TellAltered(f, t);
  const std::string by = user == request.record().requester.user ? "" : " by " + user;
  bool bound = false;
  bool may_run = false;
  for (const Fence& fence : request.attempts) {
    const Attempt& attempt = f.attempts.at(fence);
    bound = bound || verifier::Binds(attempt.state());
    may_run = may_run || verifier::Permitted(attempt.state());
    f.attempts.Touch(fence);
  }
  f.room.Remove(request.id());
  const bool ran = request.state() == RequestState::kUnknown ||
                   request.state() == RequestState::kRunning ||
                   (request.state() == RequestState::kStarting && may_run);
  if (!bound) {
    // No attempt binds the request, and a hold that is still sought gets no permit: it ends now.
    const std::string text = request.state() == RequestState::kUnknown
                                 ? "cancelled, its outcome unknown"
                                 : "cancelled before its start";
    EndRequest(f, t, request, schemas::Outcome::kCancelled, text + by);
    return text;
  }
  f.requests.Edit(request).reason.reset();  // it ends by its user, whatever it waited for
  f.requests.SetState(request, RequestState::kCancelling);
  ForgetWindow(f, request);
  AddEvent(f, t, request, "cancelled", "cancel asked for" + by);
  return ran ? "is being stopped" : "cancelled before its start";
}

void OnCancel(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Cancel& cancel) {
  if (!MayActOn(f, t, asker, cancel.requests, "nothing was cancelled")) return;
  const std::vector<RequestId> all = WithOccurrences(f, cancel.requests);
  schemas::Accepted out;
  if (cancel.only_try || !cancel.may_move) {
    LostInside lost = LostWith(f, all, t.plan);
    if (cancel.only_try) {
      out.moves = std::move(lost.promised);
      out.moves.insert(out.moves.end(), lost.running.begin(), lost.running.end());
      return Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
    }
    if (!lost.promised.empty() || !lost.running.empty()) {
      return Refuse(f, t, asker, WouldBreak(lost));
    }
  }
  for (const RequestId id : all) {
    Request& request = *f.requests.Find(id);
    const std::string note = CancelOne(f, t, request, asker.user);
    if (request.record().requester.user != asker.user) {
      Audit(f, t, "user:" + asker.user, "cancel", ToText(id), note);
    }
    out.notes.push_back(note);
    out.requests.push_back(id);
    out.states.push_back(request.state());
  }
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

}  // namespace muster::meta
