// What each site gave users of other homes, and what its own users took elsewhere: counted as
// shares are, in processor time. scheduling.md section 16.
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Works out f.balances, once a minute of plan time at most.
void WorkOutBalances(RequestsLayer& f, const Turn& t);

}  // namespace muster::meta
