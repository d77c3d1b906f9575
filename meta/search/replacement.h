// Replace before release: a search for another place. The present place is released only after the
// sites of the new one are bound. Used for a user's alteration, for an earlier start, for a gate
// that moved, and for a place that is lost in part. The outcome of an alteration is reported as
// news (meta/requests/alteration_news.h). protocol.md section 5 (user; meta).
#pragma once

#include <optional>
#include <string>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Seeks a place for the request as `next`. REQUIRES: a place that binds its sites, and no trial in
// progress.
void SeekAltered(SearchLayer& f, Request& request, schemas::RequestSpec next, Trial trial);

// Seeks an earlier place for the unchanged request. The present one stays until the sites of an
// attempt whose start is worth the move (meta/search/move_gain.h) are bound.
void SeekElsewhere(SearchLayer& f, Request& request);

// Seeks a place with no later start at another site, which the present one is needed for by the
// site's own users (meta/search/giving_way.h).
void SeekToGiveWay(SearchLayer& f, Request& request);

// True if a place found at `start` may be taken. An altered request may start later only if
// promises may move, else the alteration fails. For a request that is tried elsewhere, `start` at
// `site`, its first one, must be worth the move, else the trial ends. A what-if trial ends here
// with its result.
bool MayTakeAltered(SearchLayer& f, Turn& t, Request& request, const std::string& site,
                    Instant start);

// The trial ended without a place; the request stays as it was. Does nothing without a trial.
// `never`: no place is possible.
void AlterFails(SearchLayer& f, Turn& t, Request& request, schemas::Refused why);
void AlterFails(SearchLayer& f, Turn& t, Request& request, const schemas::Reason& why,
                bool never = false);

// `attempt` is held at all its sites (HeldBeside). Releases the permitted attempt that it replaces,
// unless that has started. `attempt` gets its permit only once the old one is known not to have
// started.
void LeavePlace(SearchLayer& f, Turn& t, Request& request, Attempt& attempt);
// The request has started at its old place, so it stays there.
void StaysAsItIs(SearchLayer& f, Turn& t, Request& request);

// True if the request keeps its sound place (SoundPlace) because `start`, the one found if any, is
// not earlier. Ends the search.
bool KeepsItsPlace(SearchLayer& f, const Turn& t, Request& request, std::optional<Instant> start);

}  // namespace muster::meta
