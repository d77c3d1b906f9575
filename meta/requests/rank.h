// Who is tried first of those that wait for a place: by the priority of their queue, then as they
// came.
#pragma once

#include "meta/requests/request_table.h"
#include "meta/waiting/waiting_room.h"

namespace muster::meta {

// The rank of a request in the waiting room.
inline Rank RankOf(const Request& request) { return {-request.priority, request.id()}; }

}  // namespace muster::meta
