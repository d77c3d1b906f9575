// Joint moves: a promised co-allocation starts earlier as soon as room for all its parts is found,
// at the sites it has or at others, until its start barrier. An offer of one of its sites, or room
// that became free anywhere, begins a pass (meta/search/moves.h): where the shadows leave a chance
// the sites are asked (meta/search/meetings.h), and what is found is held beside the place that is
// there (replace before release), so the promise gets earlier or stays. protocol.md sections 2
// (offer) and 5 (meta, n > 1), scheduling.md section 5.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// `site` would start its parts of the attempt at any of these instants, its newest word counts: a
// pass is owed. An error is what only a site says that is wrong: an offer for what it has no part
// in. An offer that was overtaken by the end of its attempt is no error and does nothing.
absl::Status OnOffer(SearchLayer& f, Turn& t, const std::string& site, const schemas::Offer& offer);

// Shadows and offers leave it a chance of such a start.
bool MayMoveJointly(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt);

}  // namespace muster::meta
