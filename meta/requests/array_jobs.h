// An array and its elements: each element is a request of its own, without the payload, which its
// array keeps once. The array itself is never placed; how it stands follows from its elements.
// cli.md section 3 (submit -a), section 1.5 (names).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Makes the elements of an array that was accepted: durable in this turn, waiting.
void MakeElements(RequestsLayer& f, const Request& array);

// What runs in the parts of this request: of an element, its array's.
const schemas::Payload& PayloadOf(const RequestsLayer& f, const Request& request);

// The elements changed in this turn (Turn::requests) are counted; arrays whose state that changes
// are marked, and ended with their last element.
void RefreshArrays(RequestsLayer& f, Turn& t);

// Counts, failures and sites of an array. REQUIRES: the request is an array.
schemas::ArrayView ArrayViewOf(const RequestsLayer& f, const Request& array);
// The first start and the last end promised to its unfinished elements; why there is none.
schemas::Figures ArrayFigures(const RequestsLayer& f, const Request& array, Moment now);

// The ids a verb on this request is about: itself, or all elements of an array.
std::vector<RequestId> TargetsOf(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
