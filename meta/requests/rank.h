// Order in which waiting requests are tried: by priority of their queue, then by arrival.
#pragma once

#include "meta/requests/request_table.h"
#include "meta/waiting/waiting_room.h"

namespace muster::meta {

// The rank of a request in the waiting room.
inline Rank RankOf(const Request& request) { return {-request.priority, request.id()}; }

}  // namespace muster::meta
