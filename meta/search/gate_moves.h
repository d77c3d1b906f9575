// Reacts when dependencies or an array's limit let a request start earlier, later or never: places,
// moves, permits or ends it. meta/requests/start_conditions.h says how a gate stands; protocol.md
// sections 0.1 and 4.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// True if the request cannot be planned because nobody can tell when its gate opens. An alteration
// under way then fails. Any other request is left out of the waiting room until its dependencies
// move, or it ends because they have failed.
bool WaitsForOthers(SearchLayer& f, Turn& t, Request& request);

// Looks at the requests that depend on what ended or moved in this turn (Turn::moved), and places,
// moves, permits or ends them.
void TellThoseAfter(SearchLayer& f, Turn& t);

}  // namespace muster::meta
