// When something is due of a reservation: of a provisional one its end if nobody confirms it, of a
// standing one (meta/requests/standing.h) the next that it makes.
#pragma once

#include <optional>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A provisional reservation is given back when nobody has confirmed it in time; of a standing one
// (meta/requests/standing.h) more are made when their time is near.
void WatchProvisional(RequestsLayer& f, const Request& request);
// Those whose time has come, up to one that nobody has confirmed: its timeline says that it is
// given back, and its caller, told its id, cancels it and goes on. None: there is no other.
std::optional<RequestId> NextUnconfirmed(RequestsLayer& f, Turn& t);

}  // namespace muster::meta
