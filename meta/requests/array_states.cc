// All changed elements are counted before any array is updated.
#include "meta/requests/array_states.h"

#include <optional>
#include <set>
#include <string>

#include "meta/requests/figures.h"
#include "meta/requests/request_outcome.h"

namespace muster::meta {
namespace {

using schemas::Outcome;
using schemas::RequestState;

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

}  // namespace muster::meta
