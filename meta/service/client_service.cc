// Envelope checks, submission and cancelling. What was accepted is on disk when the answer leaves,
// since messages follow the batch.
#include "meta/service/client_service.h"

#include <algorithm>

#include "base/check.h"
#include "base/units.h"
#include "meta/attempts/attempts.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/members.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/rank.h"
#include "meta/requests/reservation_times.h"
#include "meta/requests/reservations.h"
#include "meta/requests/standing.h"
#include "meta/requests/terms.h"
#include "meta/requests/timeline.h"
#include "meta/requests/validate.h"
#include "meta/requests/windows.h"
#include "meta/service/acts.h"
#include "meta/service/questions.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"
#include "verifier/client_checks.h"

namespace muster::meta {
namespace {

using schemas::Refused;
using schemas::RequestState;

std::optional<Refused> CheckEnvelope(const ServiceLayer& f, const Turn& t, const ClientSays& says) {
  if (!f.users.contains(says.user)) {
    return Refused{.code = "denied",
                   .message = "'" + says.user + "' is not a user of " + f.options.federation};
  }
  return verifier::CheckEnvelope(says.message, f.options.federation, t.plan);
}

void Accept(ServiceLayer& f, Turn& t, const Asker& asker, const Request& request, bool repeated) {
  schemas::Accepted out;
  out.requests = {request.id()};
  out.states = {request.state()};
  out.repeated = repeated;
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

struct Dispatch {
  ServiceLayer& f;
  Turn& t;
  const Asker& asker;

  void operator()(const schemas::Submit& m) const { OnSubmit(f, t, asker, m); }
  void operator()(const schemas::Ask& m) const { OnAsk(f, t, asker, m); }
  void operator()(const schemas::Cancel& m) const { OnCancel(f, t, asker, m); }
  void operator()(const schemas::Get& m) const { OnGet(f, t, asker, m); }
  void operator()(const schemas::Follow& m) const { OnFollow(f, t, asker, m); }
  void operator()(const schemas::Act& m) const { OnAct(f, t, asker, m); }
};

}  // namespace

bool IsOperator(const ServiceLayer& f, const std::string& user) {
  const auto it = f.users.find(user);
  return it != f.users.end() && it->second.is_operator;
}

void Refuse(ServiceLayer& f, Turn& t, const Asker& asker, Refused refused) {
  Reply(f, t, asker.user, asker.link, asker.number, std::move(refused));
}

Refused NoSuchJob(RequestId id, std::string changed) {
  return {.code = "not-found",
          .message = "no job " + ToText(id) + " on record",
          .changed = std::move(changed)};
}

void OnClient(ServiceLayer& f, Turn& t, const ClientSays& says) {
  const Asker asker{says.user, says.link, says.message.number};
  f.keys.NoteHeard(says.user, t.plan);
  if (std::optional<Refused> fault = CheckEnvelope(f, t, says)) {
    return Refuse(f, t, asker, std::move(*fault));
  }
  std::visit(Dispatch{f, t, asker}, says.message.body);
}

void OnSubmit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Submit& submit) {
  const Digest digest = schemas::DigestOf(submit.request);
  if (const Request* known = f.requests.FindKey(asker.user, submit.key.text)) {
    if (known->record().digest == digest) return Accept(f, t, asker, *known, true);
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = "'" + submit.key.text + "' was used for job " + ToText(known->id()) +
                              ", which is another one",
                   .help = "another --once TEXT",
                   .changed = kNothingSubmitted});
  }
  if (f.disk_low) {
    return Refuse(f, t, asker,
                  {.code = "disk-full",
                   .message = "the meta's disk is nearly full",
                   .help = "the operator frees space",
                   .changed = kNothingSubmitted});
  }
  if (auto fault = verifier::CheckKey(submit.key, t.plan))
    return Refuse(f, t, asker, std::move(*fault));
  if (auto fault = CheckCounts(f, asker.user, t.plan))
    return Refuse(f, t, asker, std::move(*fault));
  schemas::RequestSpec placed = submit.request;
  NameProperties(f, placed);
  const Lasting lasting = FillDuration(f, placed, asker.user);
  if (auto fault = CheckRequest(f, placed, t.plan, true))
    return Refuse(f, t, asker, std::move(*fault));
  if (auto fault = verifier::CheckStartNotice(placed, ShortestLength(f, placed), t.plan))
    return Refuse(f, t, asker, std::move(*fault));
  if (auto fault = CheckStanding(f, placed, t.plan)) return Refuse(f, t, asker, std::move(*fault));
  if (auto fault = EnterReservation(f, placed, asker.user, t.plan))
    return Refuse(f, t, asker, std::move(*fault));
  const size_t more = placed.array ? ElementsOf(*placed.array) : 0;
  const size_t open = f.requests.OpenOf(asker.user).size();
  if (open + more >= f.options.open_requests_per_user) {
    return Refuse(f, t, asker,
                  {.code = "busy",
                   .message = std::to_string(open) + " jobs are open; at most " +
                              std::to_string(f.options.open_requests_per_user),
                   .help = "wait for some to end",
                   .changed = kNothingSubmitted});
  }
  if (auto never = NeverRuns(f, placed)) return Refuse(f, t, asker, std::move(*never));

  schemas::RequestRecord record;
  record.id = RequestId{++f.identity.Edit().last_request.value};
  record.requester = {asker.user, GroupsNow(f, asker.user, t.plan)};
  record.key = submit.key;
  record.digest = digest;
  record.spec = std::move(placed);
  record.submitted_at = t.plan;
  Request& request = f.requests.Add(std::move(record));
  const schemas::RequestSpec& spec = request.record().spec;
  std::string accepted = "accepted, on disk";
  if (lasting != Lasting::kAsAsked) {
    accepted += "; lasts " + DurationText(spec.duration) +
                (lasting == Lasting::kByDefault ? " by default" : ", as its sites insist");
  }
  AddEvent(f, t, request, "accepted", std::move(accepted));
  if (spec.reserves && spec.reserves->confirm_within) {
    AddEvent(f, t, request, "provisional", "given back unless confirmed in time");
    f.requests.Edit(request).events.back().elapsed_s =
        static_cast<double>(spec.reserves->confirm_within->seconds);
    WatchProvisional(f, request);
  }
  if (spec.array) {
    MakeElements(f, request);
    return Accept(f, t, asker, request, false);
  }
  if (IsStanding(request)) {
    TendStanding(f, t, request);
    return Accept(f, t, asker, request, false);
  }
  f.dependents.Add(request.id(), spec);
  WatchWindow(f, request);
  f.room.Ready(RankOf(request));
  Accept(f, t, asker, request, false);
}

namespace {

// "this would break 2 promises inside and stop 1 job that runs there", with the jobs.
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
