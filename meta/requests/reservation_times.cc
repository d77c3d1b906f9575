// Entries of reservations that were confirmed, or have ended, are skipped when their time comes.
#include "meta/requests/reservation_times.h"

#include "meta/requests/occurrences.h"
#include "meta/requests/standing.h"
#include "meta/requests/timeline.h"

namespace muster::meta {

void WatchProvisional(RequestsLayer& f, const Request& request) {
  // The entry of a standing reservation is due at once, so the next turn checks it.
  if (IsStanding(request) && !request.Ended()) f.provisional.Add({}, request.id());
  const auto& reserves = request.record().spec.reserves;
  if (!reserves || !reserves->confirm_within || request.Ended()) return;
  const Moment at{request.record().submitted_at.milliseconds +
                  ToBootSpan(*reserves->confirm_within).milliseconds};
  f.provisional.Add(at, request.id());
}

std::optional<RequestId> NextUnconfirmed(RequestsLayer& f, Turn& t) {
  const Moment after_now{t.plan.milliseconds + 1};
  while (const std::optional<RequestId> id = f.provisional.TakeBefore(after_now)) {
    Request* request = f.requests.Find(*id);
    if (!request || request->Ended() || request->Cancelling()) continue;
    if (IsStanding(*request)) {
      TendStanding(f, t, *request);
      continue;
    }
    const auto& reserves = request->record().spec.reserves;
    if (!reserves || !reserves->confirm_within) continue;  // confirmed meanwhile
    AddEvent(f, t, *request, "given-back", "not confirmed in time");
    return id;
  }
  return std::nullopt;
}

}  // namespace muster::meta
