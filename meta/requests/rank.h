// Order in which waiting requests are tried: by priority of their queue, then by points, then by
// arrival. scheduling.md section 11.
#pragma once

#include "meta/requests/request_table.h"
#include "meta/waiting/waiting_room.h"

namespace muster::meta {

// The rank of a request: the one place from which waves, blocks, gaps and moves take their order.
inline Rank RankOf(const Request& request) {
  return {-request.priority, -request.points(), request.id()};
}

}  // namespace muster::meta
