// How an array stands follows from its elements: it runs while one of them does, and ends with the
// last. cli.md section 3 (submit -a).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// The elements changed in this turn (RequestTable::due) are counted; arrays whose state that
// changes are marked, and ended with their last element.
void RefreshArrays(RequestsLayer& f, Turn& t);

}  // namespace muster::meta
