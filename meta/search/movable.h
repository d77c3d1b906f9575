// Which promised requests may get another place. protocol.md section 5.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

inline bool IsOfOnePart(const Request& request) { return request.record().spec.parts.size() == 1; }

// The attempt of a request that may get another place, else null. The request must be promised, not
// started, on no lent room, not at its start barrier and not moving already, and all its sites must
// be up.
const Attempt* Movable(const SearchLayer& f, const Turn& t, const Request& request);

}  // namespace muster::meta
