// Other requests are judged by their records and promises alone.
#include "meta/requests/start_conditions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "meta/requests/array_jobs.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/figures.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::DependencyKind;
using schemas::Outcome;

constexpr Span kOverdue{2};  // a request past its promised end is assumed to end after this time

AfterStands StandsOfAll(const RequestsLayer& f, const std::vector<schemas::Dependency>& after,
                        Moment now) {
  AfterStands all = AfterStands::kHolds;
  for (const schemas::Dependency& d : after) {
    const AfterStands one = StandsOf(d, LookAt(f, d.request, now));
    if (one == AfterStands::kNever) return one;
    if (one == AfterStands::kPending) all = one;
  }
  return all;
}

// Whether both ids name the same job, or one an array and the other an element of it.
bool Overlap(RequestId a, RequestId b) {
  if (a.is_element() && b.is_element()) return a == b;
  return a.job() == b.job();
}

// Whether `from` depends on `id`, directly or through others. Ended requests depend on nothing.
bool WaitsFor(const RequestsLayer& f, RequestId from, RequestId id) {
  std::set<RequestId> seen;
  std::vector<RequestId> open{from};
  while (!open.empty()) {
    const RequestId at = open.back();
    open.pop_back();
    if (Overlap(at, id)) return true;
    const Request* request = f.requests.Find(at);
    if (request == nullptr || request->Ended() || !seen.insert(at).second) continue;
    for (const schemas::Dependency& d : request->record().spec.after) open.push_back(d.request);
    if (!request->record().spec.array) continue;
    const std::vector<RequestId> elements = TargetsOf(f, *request);
    open.insert(open.end(), elements.begin(), elements.end());
  }
  return false;
}

// For an element, how many elements of its array may run at once; 0: any number.
uint64_t AtOnce(const RequestsLayer& f, const Request& request) {
  if (!request.id().is_element()) return 0;
  const Request* array = f.requests.Find(request.id().array());
  return array && array->record().spec.array ? array->record().spec.array->at_once : 0;
}

bool HasPlaceInArray(const RequestsLayer& f, const Request& request) {
  const uint64_t at_once = AtOnce(f, request);
  return at_once == 0 || f.arrays.Has(request.id()) || f.arrays.Taken(request.id()) < at_once;
}

// Cause of a later start behind `id`: the cause of the last change of `id` if that is a cause of
// delay, else kPartner.
schemas::Cause LaterBecause(const RequestsLayer& f, RequestId id) {
  schemas::Cause cause{schemas::CauseCode::kPartner, {.job = ToText(id)}, "meta"};
  const Request* other = f.requests.Find(id);
  if (!other) return cause;
  const auto& history = other->record().history;
  if (history.empty() || !history.back().cause) return cause;
  const schemas::CauseCode code = history.back().cause->code;
  if (code != schemas::CauseCode::kNone && code < schemas::CauseCode::kBackfilled)
    cause.code = code;
  return cause;
}

}  // namespace

Awaited LookAt(const RequestsLayer& f, RequestId id, Moment now) {
  Awaited out;
  const Request* request = f.requests.Find(id);
  if (!request) return out;
  out.ended = request->Ended();
  out.well = request->record().outcome == Outcome::kDone;
  if (out.ended) return out;
  if (request->record().spec.array) {
    out.due = f.arrays.LastEnd(id);
  } else if (request->state() != schemas::RequestState::kUnknown) {
    out.due = FiguresNow(f, *request, now).ends_by;
  }
  return out;
}

AfterStands StandsOf(const schemas::Dependency& d, const Awaited& other) {
  if (!other.ended) return AfterStands::kPending;
  if (d.kind == DependencyKind::kAny) return AfterStands::kHolds;
  const bool wanted_well = d.kind == DependencyKind::kOk;
  return other.well == wanted_well ? AfterStands::kHolds : AfterStands::kNever;
}

AfterStands AfterOf(const RequestsLayer& f, const Request& request, Moment now) {
  return StandsOfAll(f, request.record().spec.after, now);
}

bool GateIsOpenFor(const RequestsLayer& f, const Request& request, const Attempt& attempt,
                   Moment now) {
  return StandsOfAll(f, SpecOf(request, attempt).after, now) == AfterStands::kHolds &&
         HasPlaceInArray(f, request);
}

std::optional<schemas::Reason> WhyNotAfter(const RequestsLayer& f, const Request& request,
                                           const std::vector<schemas::Dependency>& after,
                                           Moment now) {
  schemas::Reason why{.code = schemas::ReasonCode::kDependency};
  for (const schemas::Dependency& d : after) {
    why.subject.job = ToText(d.request);
    const Awaited other = LookAt(f, d.request, now);
    if (StandsOf(d, other) == AfterStands::kNever) {
      why.text = "job " + why.subject.job + (other.well ? " ended well" : " did not end well");
      return why;
    }
    if (!WaitsFor(f, d.request, request.id())) continue;
    why.text = "job " + why.subject.job + " waits for " + ShownId(request) + " itself";
    return why;
  }
  return std::nullopt;
}

bool GateIsOpen(const RequestsLayer& f, const Request& request, Moment now) {
  return AfterOf(f, request, now) == AfterStands::kHolds && HasPlaceInArray(f, request);
}

std::optional<Instant> GateOpensAt(const RequestsLayer& f, const Request& request, Moment now) {
  Instant at{0};
  for (const schemas::Dependency& d : request.record().spec.after) {
    const Awaited other = LookAt(f, d.request, now);
    if (other.ended) continue;
    if (!other.due) return std::nullopt;
    // A request that is past its promised end may still run.
    at = std::max({at, *other.due, now.Ceiling() + kOverdue});
  }
  if (!HasPlaceInArray(f, request)) {
    at = std::max(at, f.arrays.FreeFrom(request.id(), AtOnce(f, request)));
  }
  return at;
}

schemas::Cause CauseOfMove(const RequestsLayer& f, const Attempt& old, Instant start) {
  if (start > old.record().start) return LaterBecause(f, old.moved_by);
  return {schemas::CauseCode::kBackfilled, {.job = ToText(old.moved_by)}, "meta"};
}

const Attempt* BoundAttempt(const RequestsLayer& f, const Request& request) {
  if (!request.record().attempt) return nullptr;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end() || !verifier::Binds(it->second.state())) return nullptr;
  return &it->second;
}

std::optional<Instant> SoundPlace(const RequestsLayer& f, const Turn& t, const Request& request) {
  if (!request.replacing || request.replacing != request.record().attempt) return std::nullopt;
  if (request.before()) return std::nullopt;  // an altered request may go to any place
  const auto it = f.attempts.find(*request.replacing);
  if (it == f.attempts.end() || it->second.endangered || !verifier::Binds(it->second.state())) {
    return std::nullopt;
  }
  const Instant start = it->second.record().start;
  const std::optional<Instant> opens = GateOpensAt(f, request, t.plan);
  const bool right = opens && *opens <= start + partitioner::FirstOffset(request.record().spec);
  return right ? std::optional(start) : std::nullopt;
}

void TakePlace(RequestsLayer& f, const Request& request, const Attempt& attempt) {
  const RequestId id = request.id();
  if (!id.is_element()) return;
  const bool permitted = verifier::Permitted(attempt.state());
  const bool waits = attempt.PassesBarrier() && !permitted;
  if (!waits) f.arrays.Take(id);
  f.arrays.SetGated(id, waits);
  const schemas::RequestSpec& spec = request.record().spec;
  const Instant start = attempt.record().start;
  const Instant end = start + partitioner::LastOffset(spec) +
                      LengthAt(f, spec, attempt.record().members) + WaitOf(f, attempt);
  f.arrays.SetSpan(id, Interval{start, end});
}

void GiveBackPlace(RequestsLayer& f, Turn& t, const Request& request) {
  const RequestId id = request.id();
  if (!id.is_element()) return;
  // An attempt that is being given up has no place in the array, even if a silent site keeps it
  // open.
  const Attempt* left = nullptr;
  for (const Fence& fence : request.attempts) {
    const Attempt& attempt = f.attempts.at(fence);
    const bool seeks = attempt.state() == schemas::AttemptState::kHolding;
    if (seeks || verifier::Binds(attempt.state())) left = &attempt;
  }
  f.arrays.GiveBack(id);
  if (left) return TakePlace(f, request, *left);
  f.arrays.SetGated(id, false);
  f.arrays.SetSpan(id, std::nullopt);
  t.moved.insert(id);
}

}  // namespace muster::meta
