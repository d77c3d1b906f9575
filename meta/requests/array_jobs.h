// Arrays and their elements. Each element is a request of its own; the payload is kept once, in the
// array. The array itself is never placed: its state follows from its elements
// (meta/requests/array_states.h). cli.md section 3 (submit -a), section 1.5 (names).
#pragma once

#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// Creates the elements of an accepted array: durable with this turn, in state WAITING.
void MakeElements(RequestsLayer& f, const Request& array);

// Payload of this request; an element has that of its array.
const schemas::Payload& PayloadOf(const RequestsLayer& f, const Request& request);

// Calls `what` for each element on record, by ascending index: in the table elements follow their
// array.
template <class Do>
void ForEachElement(const RequestsLayer& f, RequestId array, Do what) {
  const auto& all = f.requests.all();
  for (auto it = all.upper_bound(array); it != all.end() && it->first.array() == array; ++it) {
    what(it->second);
  }
}

// Counts, failures and sites of an array. REQUIRES: the request is an array.
schemas::ArrayView ArrayViewOf(const RequestsLayer& f, const Request& array);
// Ids that a verb on this request acts on: the request itself, or all elements of an array.
std::vector<RequestId> TargetsOf(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
