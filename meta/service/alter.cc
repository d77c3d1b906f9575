// Each request is handled by itself; the client is answered when the results for all are known.
#include "meta/service/alter.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "meta/requests/array_jobs.h"
#include "meta/requests/credentials.h"
#include "meta/requests/credits.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/points.h"
#include "meta/requests/rank.h"
#include "meta/requests/refusals.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/timeline.h"
#include "meta/requests/validate.h"
#include "meta/requests/windows.h"
#include "meta/search/replacement.h"
#include "meta/service/alter_answers.h"
#include "meta/service/altered_running.h"
#include "meta/service/audit.h"
#include "verifier/alteration.h"
#include "verifier/attempt_table.h"
#include "verifier/client_checks.h"

namespace muster::meta {
namespace {

using schemas::Refused;
using schemas::RequestSpec;
using schemas::RequestState;
using verifier::Changed;
using verifier::ChangeOfRunning;
using verifier::ChangeText;
using verifier::NeedsAnotherPlace;

Refused Conflict(const Request& request, std::string why, std::string help = "") {
  return {.code = "conflict",
          .message = Named(request) + " " + std::move(why),
          .help = std::move(help),
          .changed = kNothingChanged};
}

// Replaces the specification of a request, whether or not it has a place.
void Take(ServiceLayer& f, Turn& t, Request& request, RequestSpec next, const std::string& user) {
  const std::string text = ChangeText(request.record().spec, next);
  const std::string by = user == request.record().requester.user ? "" : ", by " + user;
  const RequestId id = request.id();
  const bool bound = request.record().attempt.has_value();
  ForgetWindow(f, request);
  f.room.Remove(id);
  f.dependents.Change(id, request.record().spec, next);
  CountWait(f, request, t.plan);
  RequestSpec& spec = f.requests.Edit(request).spec;
  next.payload = std::move(spec.payload);
  spec = std::move(next);
  request.priority = f.requests.PriorityOf(request.record().spec.queue);
  CountOpen(f, request, t.plan);
  AddEvent(f, t, request, "altered", text + by);
  const bool to_be_placed = request.Wanted() && !request.seeking && !f.searches.IsAsked(id);
  if (bound) {
    const auto attempt = f.attempts.find(*request.record().attempt);
    if (attempt != f.attempts.end()) EaseLien(f, request, attempt->second);
    f.searches.ForgetFruitless(id);
    // If its place is being replaced, the new place is sought for the new specification.
    if (request.replacing && to_be_placed) f.room.Ready(RankOf(request));
    return;
  }
  f.searches.StartAsAnother(id);
  AskAnew(f, request);
  WatchWindow(f, request);
  if (request.record().spec.array) return;
  if (request.seeking) {
    // The hold being sought is for the old specification.
    f.attempts.at(*request.seeking).altered = true;
    f.attempts.Touch(*request.seeking);
  } else if (to_be_placed) {
    f.room.Ready(RankOf(request));
  }
}

// Looks up account and QoS if the alteration names them or another queue, for which they may not be
// granted; else only whether the QoS has the privilege. What a reload has taken away meanwhile is
// no obstacle to other changes.
std::optional<Refused> EnterAltered(const ServiceLayer& f, const Turn& t, const Request& request,
                                    RequestSpec& next) {
  const RequestSpec& before = request.record().spec;
  const bool named =
      next.account != before.account || next.qos != before.qos || next.queue != before.queue;
  const std::string& user = request.record().requester.user;
  verifier::Fault fault;
  if (named) {
    fault = EnterCredentials(f, next, user, t.plan);
    if (!fault && OpenUnder(f, next, user, t.plan) != OpenUnder(f, before, user, t.plan)) {
      fault = CheckOpen(f, next, user, 1, t.plan);
    }
  } else if (next.deadline != before.deadline) {
    fault = CheckPrivileges(f, next);
  }
  if (fault) fault->changed = kNothingChanged;
  return fault;
}

std::optional<Refused> Unfit(const ServiceLayer& f, const Turn& t, const Request& request,
                             RequestSpec& next) {
  const bool running = request.state() >= RequestState::kStarting;
  if (!running) {
    if (auto fault = CheckRequest(f, next, t.plan, false)) {
      fault->changed = kNothingChanged;
      return fault;
    }
    auto late = verifier::OtherNotice(request.record().spec, next)
                    ? verifier::CheckStartNotice(next, ShortestLength(f, next), t.plan)
                    : std::nullopt;
    if (late) {
      late->changed = kNothingChanged;
      return late;
    }
    if (auto never = NeverRuns(f, next, request.record().requester.user, t.plan)) {
      never->changed = kNothingChanged;
      return never;
    }
  }
  if (auto fault = EnterReservation(f, next, request.record().requester.user, t.plan)) {
    fault->changed = kNothingChanged;
    return fault;
  }
  const auto& parts = request.record().spec.parts;
  const bool elsewhere =
      next.reserves && !std::equal(parts.begin(), parts.end(), next.parts.begin(), next.parts.end(),
                                   [](const auto& a, const auto& b) { return a.sites == b.sites; });
  if (elsewhere && request.record().attempt) {
    return Conflict(request, parts.size() == 1 ? "stays at its site" : "stays at its sites",
                    "reserve there, then cancel this one");
  }
  return std::nullopt;
}

// Applies an alteration to one request: at once, or by a trial or orders to sites whose result it
// then awaits. Returns a refusal if the request cannot be altered so.
std::optional<Refused> AlterOne(ServiceLayer& f, Turn& t, uint64_t number, Request& request,
                                const schemas::Alteration& changes) {
  const RequestId id = request.id();
  const Altering& altering = *f.alters.FindQuestion(number);
  if (request.Ended()) return Conflict(request, "has ended", "submit it anew");
  if (request.Cancelling()) return Conflict(request, "is being cancelled");
  if (request.state() == RequestState::kUnknown) {
    return Conflict(request, "has an unknown outcome: it may run", "muster settle decides it");
  }
  if (request.TriesElsewhere()) {
    return Conflict(request, "is being given another place just now", "try again in a while");
  }
  if (IsStanding(request)) {
    return Conflict(request, "is standing: each of its times is a reservation of its own",
                    "alter these, or cancel it and reserve anew");
  }
  if (request.before() || AlteringOf(f, id)) return Conflict(request, "is being altered already");
  auto changed = Changed(request.record().spec, changes);
  if (auto* fault = std::get_if<Refused>(&changed)) return std::move(*fault);
  RequestSpec next = std::get<RequestSpec>(std::move(changed));
  // A duration that the sites force on this user overrides the one asked for (FillDuration).
  if (next.parts != request.record().spec.parts) NameProperties(f, next);
  if (next.duration != request.record().spec.duration ||
      next.parts != request.record().spec.parts) {
    FillDuration(f, next, request.record().requester.user);
  }
  if (auto fault = EnterAltered(f, t, request, next)) return fault;
  if (ChangeText(request.record().spec, next).empty()) {
    return Conflict(request, "is like that already: nothing to change");
  }
  if (auto fault = Unfit(f, t, request, next)) return fault;
  if (next.after != request.record().spec.after) {
    if (const auto why = WhyNotAfter(f, request, next.after, t.plan)) {
      return Conflict(request, "cannot come after that: " + why->text);
    }
  }
  const auto attempt =
      request.record().attempt ? f.attempts.find(*request.record().attempt) : f.attempts.end();
  const bool bound = attempt != f.attempts.end() && verifier::Binds(attempt->second.state());
  // Another queue may count under other limits over all sites.
  const bool other_limits = next.queue != request.record().spec.queue && !f.options.limits.empty();
  const bool place =
      bound && (other_limits ||
                NeedsAnotherPlace(request.record().spec, next, attempt->second.record().start,
                                  LengthAt(f, next, attempt->second.record().members)));
  const std::string text = ChangeText(request.record().spec, next);
  if (request.state() == RequestState::kStarting || request.state() == RequestState::kRunning) {
    const auto change = ChangeOfRunning(request.record().spec, next);
    const bool by_sites = !change || change->longer > Span{0} || !change->counts.empty();
    if (by_sites) return AlterRunning(f, t, number, request, next);
  } else if (place) {
    if (request.replacing || request.seeking || f.searches.IsAsked(id)) {
      return Conflict(request, "is being given another place just now", "try again in a while");
    }
    f.alters.Ask(number, id);
    SeekAltered(f, request, std::move(next),
                {.purpose = altering.only_try ? Trial::For::kWhatIf : Trial::For::kAltered,
                 .may_move = altering.may_move});
    return std::nullopt;
  }
  if (altering.only_try) {
    DecideAltered(f, number, id, text);
    return std::nullopt;
  }
  const bool shared = request.record().spec.reserves && next.reserves && bound &&
                      request.record().spec.reserves->allow != next.reserves->allow;
  const std::string user = f.alters.Find(number)->client.user;
  Take(f, t, request, std::move(next), user);
  if (shared) ShareReservation(f, t, request, user);
  DecideAltered(f, number, id, text);
  return std::nullopt;
}

}  // namespace

void OnAlter(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  if (!act.changes || *act.changes == schemas::Alteration{}) {
    return Refuse(f, t, asker,
                  {.code = "usage",
                   .message = "nothing to change",
                   .help = "as in muster alter 41 -t 20m",
                   .changed = kNothingChanged});
  }
  if (!MayActOn(f, t, asker, act.requests, kNothingChanged)) return;
  const uint64_t number = f.prover.NewOwner();
  Altering& altering =
      f.alters.Begin(number, ClientOf(asker),
                     {.only_try = act.only_try, .may_move = act.may_move, .requests = act.requests},
                     t.boot() + f.options.values.answer_wait);
  for (const RequestId named : act.requests) {
    Request& request = *f.requests.Find(named);
    const bool array = request.record().spec.array.has_value();
    bool taken = false;  // by the job, or by an element at least
    for (const RequestId id : request.Ended() ? std::vector{named} : TargetsOf(f, request)) {
      Request& one = *f.requests.Find(id);
      if (one.Ended() && id != named) continue;
      auto refused = AlterOne(f, t, number, one, *act.changes);
      if (!refused) {
        taken = true;
        continue;
      }
      const bool told = array || act.requests.size() > 1;
      if (told && !f.alters.Awaited(number).contains(id)) {
        DecideAltered(f, number, id, "not altered: " + refused->message);
      }
      altering.refusals.push_back(std::move(*refused));
    }
    auto whole = Changed(request.record().spec, *act.changes);
    if (array && taken && !act.only_try && std::holds_alternative<RequestSpec>(whole)) {
      RequestSpec next = std::get<RequestSpec>(std::move(whole));
      if (!EnterAltered(f, t, request, next)) Take(f, t, request, std::move(next), asker.user);
    }
    if (request.record().requester.user != asker.user && !act.only_try) {
      Audit(f, t, "user:" + asker.user, "alter", ToText(named), "asked for");
    }
  }
  // If all requests were refused, the answer is a refusal instead of notes.
  altering.refused = f.alters.Awaited(number).empty() &&
                     altering.refusals.size() == f.alters.Find(number)->answers.size();
  FinishAltering(f, t, number);
}

void EndOverdueAlters(ServiceLayer& f, Turn& t) {
  std::vector<RequestId> overdue;
  for (const uint64_t number : f.alters.Overdue(t.boot())) {
    const std::set<RequestId>& open = f.alters.Awaited(number);
    overdue.insert(overdue.end(), open.begin(), open.end());
  }
  for (const RequestId id : overdue) {
    Request* request = f.requests.Find(id);
    if (request && request->before()) {
      AlterFails(f, t, *request, Conflict(*request, "got no answer from its sites in time"));
      TellAltered(f, t);
    } else if (request) {
      NoteAltered(f, t, id, "its sites have not answered yet; muster show tells");
    }
  }
}

}  // namespace muster::meta
