// Replace before release: another place is sought for a request beside the one that it has, which
// is given up when the new one is committed, and not before. So it is for what a user alters, for
// an earlier start, for a gate that moved, and for a place that is lost in part. What comes of an
// alteration is told as news (meta/requests/alteration_news.h). protocol.md section 5 (user; meta).
#pragma once

#include <optional>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Seeks a place for what the request shall be. REQUIRES a place that binds, and no trial.
void SeekAltered(SearchLayer& f, Request& request, schemas::RequestSpec next, Trial trial);

// The request as it is, at another place: it keeps what it is promised until an attempt that starts
// clearly earlier (meta/search/rechoice.h) is committed.
void SeekElsewhere(SearchLayer& f, Request& request);

// A place at `start` was found for what is tried: true if it may be taken. For an alteration a
// later start is a conflict unless promises may move; what is only tried ends here.
bool MayTakeAltered(SearchLayer& f, Turn& t, Request& request, Instant start);

// The search for a place for what is tried is over without one: the request stays as it was.
// Nothing happens without a trial. `never`: there can be none.
void AlterFails(SearchLayer& f, Turn& t, Request& request, schemas::Refused why);
void AlterFails(SearchLayer& f, Turn& t, Request& request, const schemas::Reason& why,
                bool never = false);

// `attempt` is held everywhere (HeldBeside): the permitted one that it replaces is released, unless
// it has started. Only when it has not is the new one permitted.
void LeavePlace(SearchLayer& f, Turn& t, Request& request, Attempt& attempt);
// It has started all the same, so it stays where it is.
void StaysAsItIs(SearchLayer& f, Turn& t, Request& request);

// It keeps its place (SoundPlace), since what was found (none: nothing) is not earlier; the search
// is over.
bool KeepsItsPlace(SearchLayer& f, const Turn& t, Request& request, std::optional<Instant> start);

}  // namespace muster::meta
