// If the client key and the digest are those of a job on record, that job is the answer.
#include "meta/service/submit.h"

#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "meta/requests/array_jobs.h"
#include "meta/requests/credentials.h"
#include "meta/requests/members.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/rank.h"
#include "meta/requests/refusals.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/reservation_times.h"
#include "meta/requests/reservations.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/standing.h"
#include "meta/requests/timeline.h"
#include "meta/requests/validate.h"
#include "meta/requests/windows.h"
#include "schemas/canonical.h"
#include "verifier/client_checks.h"

namespace muster::meta {
namespace {

void Accept(ServiceLayer& f, Turn& t, const Asker& asker, const Request& request, bool repeated) {
  schemas::Accepted out;
  out.requests = {request.id()};
  out.states = {request.state()};
  out.repeated = repeated;
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

}  // namespace

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
  if (auto fault = EnterCredentials(f, placed, asker.user, t.plan))
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
  if (auto fault = CheckOpen(f, placed, asker.user, std::max<size_t>(more, 1), t.plan))
    return Refuse(f, t, asker, std::move(*fault));
  if (auto never = NeverRuns(f, placed, asker.user, t.plan))
    return Refuse(f, t, asker, std::move(*never));

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
  CountOpen(f, request, t.plan);
  f.dependents.Add(request.id(), spec);
  WatchWindow(f, request);
  f.room.Ready(RankOf(request));
  Accept(f, t, asker, request, false);
}

}  // namespace muster::meta
