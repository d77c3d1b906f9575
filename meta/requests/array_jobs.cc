// Elements follow their array in the table, since they order after it.
#include "meta/requests/array_jobs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "meta/requests/endings.h"
#include "meta/requests/figures.h"
#include "meta/requests/terms.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using schemas::Outcome;
using schemas::RequestState;

template <class Do>
void EachElement(const RequestsLayer& f, RequestId array, Do what) {
  const auto& all = f.requests.all();
  for (auto it = all.upper_bound(array); it != all.end() && it->first.array() == array; ++it) {
    what(it->second);
  }
}

RequestState StateOf(const RequestsLayer& f, const Request& array) {
  const schemas::ArrayView c = f.arrays.CountsOf(array.id());
  if (c.running > 0) return RequestState::kRunning;
  if (c.unknown > 0) return RequestState::kUnknown;
  if (c.promised > 0) return RequestState::kPromised;
  return array.record().parked ? RequestState::kParked : RequestState::kWaiting;
}

Outcome OutcomeOf(const schemas::ArrayView& c) {
  if (c.failed > 0) return Outcome::kFailed;
  return c.cancelled > 0 ? Outcome::kCancelled : Outcome::kDone;
}

std::string EndText(const schemas::ArrayView& c) {
  std::string text = std::to_string(c.done) + " done";
  if (c.failed > 0) text += ", " + std::to_string(c.failed) + " failed";
  if (c.cancelled > 0) text += ", " + std::to_string(c.cancelled) + " cancelled";
  return text;
}

void RefreshArray(RequestsLayer& f, Turn& t, Request& array) {
  if (array.Ended()) return;
  if (f.arrays.AllEnded(array.id())) {
    const schemas::ArrayView counts = f.arrays.CountsOf(array.id());
    EndRequest(f, t, array, OutcomeOf(counts), EndText(counts));
    return;
  }
  const RequestState state = StateOf(f, array);
  if (state == array.state()) return;
  std::optional<schemas::Reason>& reason = f.requests.Edit(array).reason;
  reason.reset();
  if (state == RequestState::kParked) reason = ParkedReason();
  f.requests.SetState(array, state);
}

}  // namespace

void MakeElements(RequestsLayer& f, const Request& array) {
  const schemas::RequestRecord& whole = array.record();
  const schemas::ArraySpec spec = *whole.spec.array;
  for (uint64_t i = 0; i < ElementsOf(spec); ++i) {
    schemas::RequestRecord record;
    record.id = whole.id.element(spec.first + i * spec.step);
    record.requester = whole.requester;
    record.key.generated = whole.submitted_at;  // the array's key stands for all
    record.spec = whole.spec;
    record.spec.payload = {};
    record.spec.array.reset();
    record.submitted_at = whole.submitted_at;
    Request& element = f.requests.Add(std::move(record));
    f.arrays.Count(element.record());
    f.dependents.Add(element.id(), element.record().spec);
    const Instant last = LastStart(f, element.record().spec);
    if (last < kFarFuture) f.windows.insert({last, element.id()});
    f.room.Ready(RankOf(element));
  }
}

const schemas::Payload& PayloadOf(const RequestsLayer& f, const Request& request) {
  if (!request.id().is_element()) return request.record().spec.payload;
  const Request* array = f.requests.Find(request.id().array());
  MUSTER_CHECK(array != nullptr);
  return array->record().spec.payload;
}

void RefreshArrays(RequestsLayer& f, Turn& t) {
  std::set<RequestId> arrays;
  for (const RequestId id : f.requests.due()) {
    if (!id.is_element()) continue;
    const Request* element = f.requests.Find(id);
    if (!element) continue;
    f.arrays.Count(element->record());
    arrays.insert(id.array());
  }
  for (const RequestId id : arrays) {
    if (Request* array = f.requests.Find(id)) RefreshArray(f, t, *array);
  }
}

schemas::ArrayView ArrayViewOf(const RequestsLayer& f, const Request& array) {
  const schemas::ArraySpec& spec = *array.record().spec.array;
  schemas::ArrayView out = f.arrays.CountsOf(array.id());
  out.first = spec.first;
  out.last = spec.last;
  out.step = spec.step;
  out.at_once = spec.at_once;
  std::set<std::string> sites;
  EachElement(f, array.id(), [&](const Request& element) {
    if (!element.record().attempt) return;
    const auto it = f.attempts.find(*element.record().attempt);
    if (it == f.attempts.end()) return;
    sites.insert(it->second.record().members.begin(), it->second.record().members.end());
  });
  out.sites.assign(sites.begin(), sites.end());
  for (const RequestId id : f.arrays.FailuresOf(array.id())) {
    const Request* element = f.requests.Find(id);
    if (!element) continue;
    schemas::ElementFailure failure;
    failure.id = ToText(id);
    failure.outcome = element->record().outcome.value_or(Outcome::kFailed);
    for (const schemas::PartEnd& end : PartEndsOf(f, *element)) {
      if (end.by == schemas::EndedBy::kExit && end.exit_code == 0) continue;
      failure.exit_code = end.exit_code;
      failure.signal = end.signal;
      failure.text = end.text;
      break;
    }
    out.failures.push_back(std::move(failure));
  }
  return out;
}

schemas::Figures ArrayFigures(const RequestsLayer& f, const Request& array, Moment now) {
  schemas::Figures out;
  std::set<std::string> sites;
  bool all_promised = true;
  EachElement(f, array.id(), [&](const Request& element) {
    if (element.Ended()) return;
    const schemas::Figures one = FiguresNow(f, element, now);
    for (const schemas::Basis& basis : one.basis) sites.insert(basis.site);
    if (!one.starts_by) {
      all_promised = false;
      if (!out.no_promise_reason) out.no_promise_reason = one.no_promise_reason;
      return;
    }
    const bool to_start = element.state() == RequestState::kPromised;
    if (to_start && (!out.starts_by || one.starts_by->at < out.starts_by->at)) {
      out.starts_by = one.starts_by;
    }
    if (!out.ends_by || *one.ends_by > *out.ends_by) out.ends_by = one.ends_by;
  });
  if (!all_promised) out.ends_by.reset();
  if (out.starts_by) out.no_promise_reason.reset();
  out.basis = BasisOf(f, {sites.begin(), sites.end()}, now);
  return out;
}

std::vector<RequestId> TargetsOf(const RequestsLayer& f, const Request& request) {
  if (!request.record().spec.array) return {request.id()};
  std::vector<RequestId> out;
  EachElement(f, request.id(), [&](const Request& element) { out.push_back(element.id()); });
  return out;
}

}  // namespace muster::meta
