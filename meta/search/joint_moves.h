// Joint moves: until its start barrier a promised co-allocation may move to an earlier start, as
// soon as there is room for all its parts at its sites or at others. An offer of one of its sites,
// or a release anywhere, begins a pass (meta/search/moves.h). Where the shadows leave a chance, the
// sites are asked (meta/search/meetings.h). What is found is held beside the present place (replace
// before release), so the promise never gets later. protocol.md sections 2 (offer) and 5 (meta, n >
// 1), scheduling.md section 5.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Takes a site's offer to start its parts of an attempt at other instants; it replaces the site's
// earlier offer. A pass becomes due. Fails only if the site has no part in the attempt or the
// attempt has one member. An offer for an attempt that has ended is ignored.
absl::Status OnOffer(SearchLayer& f, Turn& t, const std::string& site, const schemas::Offer& offer);

// True if shadows and offers leave the co-allocation a chance of a start that is worth a move. A
// look that finds none is noted, and saves those that could not find more (FruitlessLook).
bool MayMoveJointly(SearchLayer& f, const Turn& t, const Request& request, const Attempt& attempt);

}  // namespace muster::meta
