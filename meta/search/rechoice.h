// Re-choice while waiting: a promised request of one part goes to another site that would start it
// earlier. The shadows say where that may be; the sites are asked, the new place is committed, the
// old one is given back unless it has started, and the promise gets earlier or stays.
// meta/search/moves.h says when. scheduling.md section 4 (Re-choice while waiting), protocol.md
// section 5 (meta, n = 1, other site).
#pragma once

#include "meta/search/layer.h"
#include "meta/search/move_gain.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A site's shadow leaves it a chance of such a start: another site than it has or, for one that
// waits behind a gate, that one too, which moves it by itself only once it is permitted.
bool MayGoElsewhere(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt, Gain gain);

}  // namespace muster::meta
