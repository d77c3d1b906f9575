// Re-choice while waiting: moves a promised request of one part to another site with an earlier
// start. The shadows show where that may be, the sites are asked, the new place is committed, and
// the old one is released unless it has started. So the promise never gets later.
// meta/search/moves.h says when. scheduling.md section 4 (Re-choice while waiting), protocol.md
// section 5 (meta, n = 1, other site).
#pragma once

#include "meta/search/layer.h"
#include "meta/search/move_gain.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Whether the site of a permitted attempt moves it earlier by itself. Not if a ceiling may date it:
// its hold has the date as its earliest start.
bool MovesHere(const SearchLayer& f, const Turn& t, const Request& request, const Attempt& attempt);

// True if the site's shadow, without the present place, shows one of these starts.
bool HasShadowStart(const SearchLayer& f, const Request& request, const std::string& site,
                    const IntervalSet& allowed, const Attempt& place);

// True if the shadow of another site shows a start that is worth a move. The request's own site
// counts too while the request waits for its gate: that site moves it up by itself only after the
// permit.
bool MayGoElsewhere(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt, Gain gain);

}  // namespace muster::meta
