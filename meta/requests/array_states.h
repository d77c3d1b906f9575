// Derives the state of an array from its elements: it runs while one of them runs, and ends with
// the last one. cli.md section 3 (submit -a).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Counts the elements that changed in this turn (RequestTable::due), updates the states of their
// arrays, and ends an array with its last element.
void RefreshArrays(RequestsLayer& f, Turn& t);

}  // namespace muster::meta
