// An array and its elements: each element is a request of its own, without the payload, which its
// array keeps once. The array itself is never placed; how it stands follows from its elements
// (meta/requests/array_states.h). cli.md section 3 (submit -a), section 1.5 (names).
#pragma once

#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// Makes the elements of an array that was accepted: durable in this turn, waiting.
void MakeElements(RequestsLayer& f, const Request& array);

// What runs in the parts of this request: of an element, its array's.
const schemas::Payload& PayloadOf(const RequestsLayer& f, const Request& request);

// Its elements on record, in the order of their indexes: they order after it in the table.
template <class Do>
void ForEachElement(const RequestsLayer& f, RequestId array, Do what) {
  const auto& all = f.requests.all();
  for (auto it = all.upper_bound(array); it != all.end() && it->first.array() == array; ++it) {
    what(it->second);
  }
}

// Counts, failures and sites of an array. REQUIRES: the request is an array.
schemas::ArrayView ArrayViewOf(const RequestsLayer& f, const Request& array);
// The ids a verb on this request is about: itself, or all elements of an array.
std::vector<RequestId> TargetsOf(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
