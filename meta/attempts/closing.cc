// A cancelled request ends with its last attempt.
#include "meta/attempts/closing.h"

#include <algorithm>
#include <string>
#include <vector>

#include "meta/attempts/shadows.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/start_conditions.h"

namespace muster::meta {

void EraseAttempt(AttemptsLayer& f, const Fence& fence) {
  std::vector<std::string> members;
  const auto it = f.attempts.find(fence);
  if (it != f.attempts.end()) {
    members = it->second.record().members;
    f.attempts.Erase(fence);
  }
  for (const std::string& name : members) {
    Site& site = f.sites.at(name);
    const schemas::MirrorRecord* hold = site.mirror.Find(fence);
    // A site that is cut off may still have the hold; it is compared again when the site is back.
    if (!hold || hold->state != schemas::HoldState::kClosed) continue;
    site.mirror.Erase(fence);
  }
}

void CloseAttempt(AttemptsLayer& f, Turn& t, Attempt& attempt) {
  const Fence fence = attempt.fence();
  f.fences.Settle(fence);
  f.attempts.WakeAt(attempt, std::nullopt);
  for (const std::string& name : attempt.record().members) {
    f.sites.at(name).attempts.erase(fence);
    FreeShadow(f, fence, name);
  }
  Request* request = f.requests.Find(attempt.record().request);
  if (!request) {
    EraseAttempt(f, fence);
    return;
  }
  request->attempts.erase(fence);
  if (request->seeking == fence) {
    request->seeking.reset();
    f.bank.Unwant(request->id());
  }
  if (request->replacing == fence) request->replacing.reset();
  GiveBackPlace(f, t, *request);
  const bool shown = request->record().attempt == fence;
  if (!shown) EraseAttempt(f, fence);
  // A cancelled request ends here if it has no other attempt on record.
  const bool left = std::any_of(request->attempts.begin(), request->attempts.end(),
                                [&](const Fence& other) { return f.attempts.at(other).durable(); });
  if (request->Cancelling() && !left) EndCancelling(f, t, *request);
  RefreshState(f, t, *request);
}

}  // namespace muster::meta
