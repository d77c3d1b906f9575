// What blocks need to go by shares: the points of those who are queued but for those of their
// shares, and what each would add to the use of its sharers. scheduling.md section 12.
#pragma once

#include <optional>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "meta/waiting/block_order.h"

namespace muster::meta {

// None where shares change no order: without [[share]], or with no weight of theirs and no floor.
std::optional<room::BlockOrder> BlockOrderOf(const RequestsLayer& f, const Turn& t);

}  // namespace muster::meta
