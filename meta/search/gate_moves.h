// What follows when others, or an array's limit, let a request start earlier, later or never: it is
// placed, moved, permitted or ended. meta/requests/gates.h says how a gate stands; protocol.md
// sections 0.1 and 4.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Puts a request aside that cannot even be planned, since nobody can tell when its gate opens; true
// if it was. It is looked at again when the others move.
bool WaitsForOthers(SearchLayer& f, Turn& t, Request& request);

// Looks at those who come after what ended or moved in this turn (Turn::moved): they are placed,
// placed earlier or later, permitted, or ended because what they wait for can never be.
void TellThoseAfter(SearchLayer& f, Turn& t);

}  // namespace muster::meta
