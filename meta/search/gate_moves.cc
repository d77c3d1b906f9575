// Reacting to one request may end it, which in turn concerns the requests that depend on it.
#include "meta/search/gate_moves.h"

#include <algorithm>
#include <string>
#include <vector>

#include "meta/requests/array_jobs.h"
#include "meta/requests/credentials.h"
#include "meta/requests/rank.h"
#include "meta/requests/request_outcome.h"
#include "meta/requests/start_conditions.h"
#include "meta/search/replacement.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::Outcome;

// An earlier start is sought only if it gains more than this.
constexpr Span kWorthSeeking{3};
// Array elements that are looked at when one of the array's places becomes free. No more than this
// many of them can start at once.
constexpr size_t kGatedLooks = 64;

// The attempt that binds the request's sites and has no permit yet; null if there is none.
Attempt* Gated(SearchLayer& f, const Request& request) {
  if (!request.record().attempt) return nullptr;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end()) return nullptr;
  const schemas::AttemptState state = it->second.state();
  return verifier::Binds(state) && !verifier::Permitted(state) ? &it->second : nullptr;
}

void Seek(SearchLayer& f, Request& request, Attempt& attempt, RequestId other) {
  if (request.seeking || request.before() || !request.Wanted()) return;
  // The search to replace a lost place may have been put aside because nobody could tell when the
  // gate opens. It resumes.
  if (attempt.endangered && !f.searches.IsAsked(request.id())) return f.room.Ready(RankOf(request));
  if (request.replacing) return;
  attempt.moved_by = other;
  request.replacing = attempt.fence();
  f.room.Ready(RankOf(request));
}

schemas::Reason NobodyCanTell() {
  return {.code = schemas::ReasonCode::kDependency,
          .text = "nobody can tell when the jobs it shall come after have ended as asked"};
}

void EndForEver(SearchLayer& f, Turn& t, Request& request) {
  std::string text = "cannot start any more";
  schemas::Reason reason{.code = schemas::ReasonCode::kDependency};
  for (const schemas::Dependency& d : request.record().spec.after) {
    const Awaited other = LookAt(f, d.request, t.plan);
    if (StandsOf(d, other) != AfterStands::kNever) continue;
    reason.subject.job = ToText(d.request);
    text = "job " + reason.subject.job + (other.well ? " ended well" : " did not end well") +
           ", so it cannot start";
    break;
  }
  reason.text = text;
  if (Gated(f, request) == nullptr) {
    EndRequest(f, t, request, Outcome::kRefused, text, reason);
    return;
  }
  // The booked place is released first; EndCancelling then ends the request for this reason.
  f.requests.SetReason(request, reason);
  f.requests.SetState(request, schemas::RequestState::kCancelling);
  f.room.Remove(request.id());
  for (const Fence& fence : request.attempts) f.attempts.Touch(fence);
}

void LookAgain(SearchLayer& f, Turn& t, Request& request, RequestId other) {
  if (request.Ended() || request.Cancelling()) return;
  if (AfterOf(f, request, t.plan) == AfterStands::kNever) {
    if (!request.before()) return EndForEver(f, t, request);
    // Only the trial has failed: the request as it was may still start.
    AlterFails(f, t, request, NobodyCanTell(), false);
    if (AfterOf(f, request, t.plan) == AfterStands::kNever) return EndForEver(f, t, request);
  }
  Attempt* attempt = Gated(f, request);
  if (attempt == nullptr) {
    if (request.Wanted() && !request.record().attempt && !request.seeking &&
        !f.searches.IsAsked(request.id())) {
      f.room.Ready(RankOf(request));
    }
    return;
  }
  f.attempts.Touch(attempt->fence());
  const std::optional<Instant> opens = GateOpensAt(f, request, t.plan);
  if (!opens) return;
  const Instant start = attempt->record().start + partitioner::FirstOffset(request.record().spec);
  const Instant could = std::max(*opens, t.NowCeiling());
  const bool worth = could + kWorthSeeking < start || *opens > start;
  if (attempt->endangered || worth) Seek(f, request, *attempt, other);
}

// Elements that are promised nothing far ahead wait for the time at which one of the array's places
// was expected to become free: one may be free now. Looks from the element that moved onwards,
// since elements start in order.
void WakeElements(SearchLayer& f, RequestId moved) {
  const Request* whole = f.requests.Find(moved.array());
  if (!whole || !whole->record().spec.array || whole->record().spec.array->at_once == 0) return;
  if (!f.options.horizon && !PromisedAtStart(f, whole->record().spec)) return;
  const schemas::ArraySpec& spec = *whole->record().spec.array;
  const uint64_t count = ElementsOf(spec);
  const uint64_t at = (moved.index() - spec.first) / spec.step;
  size_t woken = 0;
  for (uint64_t n = 1; n < count && woken < kGatedLooks; ++n) {
    const RequestId id = whole->id().element(spec.first + (at + n) % count * spec.step);
    if (!f.room.Has(id) || f.room.InQueue(id)) continue;
    const Request& request = *f.requests.Find(id);
    if (!request.Wanted() || request.record().attempt) continue;
    f.room.Ready(RankOf(request));
    ++woken;
  }
}

}  // namespace

bool WaitsForOthers(SearchLayer& f, Turn& t, Request& request) {
  if (request.before()) {
    const bool never = AfterOf(f, request, t.plan) == AfterStands::kNever;
    if (!never && GateOpensAt(f, request, t.plan)) return false;
    AlterFails(f, t, request, NobodyCanTell(), false);
    return true;
  }
  if (AfterOf(f, request, t.plan) == AfterStands::kNever) {
    EndForEver(f, t, request);
    return true;
  }
  if (GateOpensAt(f, request, t.plan)) return false;
  if (request.replacing && !f.attempts.at(*request.replacing).endangered) request.replacing.reset();
  for (const schemas::Dependency& d : request.record().spec.after) {
    const Awaited other = LookAt(f, d.request, t.plan);
    if (other.ended || other.due) continue;
    f.requests.SetReason(
        request, {.code = schemas::ReasonCode::kDependency,
                  .subject = {.job = ToText(d.request)},
                  .text = "waits for job " + ToText(d.request) + ", which has no promise yet"});
    break;
  }
  return true;
}

void TellThoseAfter(SearchLayer& f, Turn& t) {
  // The number of rounds is at most the length of the longest chain of dependencies, since no
  // request depends on itself.
  while (!t.moved.empty()) {
    std::set<RequestId> moved;
    moved.swap(t.moved);
    for (const RequestId id : moved) {
      std::vector<RequestId> after(f.dependents.Of(id).begin(), f.dependents.Of(id).end());
      if (id.is_element()) {
        const auto& whole = f.dependents.Of(id.array());
        after.insert(after.end(), whole.begin(), whole.end());
        const std::vector<RequestId> gated = f.arrays.Gated(id, kGatedLooks);
        if (!gated.empty() && gated[0] != id) after.push_back(gated[0]);
        WakeElements(f, id);
        // Others may be ready and lack only the array's place.
        for (const RequestId next : gated) {
          const Request* request = f.requests.Find(next);
          if (request && request->record().attempt) f.attempts.Touch(*request->record().attempt);
        }
      }
      for (const RequestId other : after) {
        if (Request* request = f.requests.Find(other)) LookAgain(f, t, *request, id);
      }
    }
  }
}

}  // namespace muster::meta
