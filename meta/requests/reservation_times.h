// When a reservation needs attention: a provisional one expires unless it is confirmed, a standing
// one (meta/requests/standing.h) makes its next occurrence.
#pragma once

#include <optional>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Registers the reservation for these times.
void WatchProvisional(RequestsLayer& f, const Request& request);
// Handles the reservations whose time has come, up to one that was not confirmed. The timeline of
// that one says that it is given back; the caller must cancel the returned id and call again. None:
// there are no more.
std::optional<RequestId> NextUnconfirmed(RequestsLayer& f, Turn& t);

}  // namespace muster::meta
