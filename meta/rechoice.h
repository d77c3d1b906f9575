// Re-choice while waiting: a promised request goes to another site that would start it clearly
// earlier. The shadows say where that may be; the sites are asked, the new place is committed, the
// old one is given back if it has not started, and the promise gets earlier or stays.
// scheduling.md section 4 (Re-choice while waiting), protocol.md section 5 (meta, n = 1, other
// site).
#pragma once

#include <optional>

#include "meta/options.h"
#include "meta/turn.h"

namespace muster::meta {

// What the timeline of such a request says.
inline constexpr char kStartsElsewhere[] = "starts earlier at another site";

// Its attempt, if the request may be given another place: promised, all its sites up, unpermitted
// or at one site, and not on the move; else null.
const Attempt* Movable(const Federation& f, const Turn& t, const Request& request);
// Starts for which a place at `start` is worth giving up.
Interval WorthAMove(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant now);
// Earlier by at least 5 minutes and 10 % of the wait that remains, and not before its user has had
// notice (verifier/start_notice.h).
bool ClearlyEarlier(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant elsewhere, Instant now);
// Not in its last 2 minutes.
bool MayBeRechosen(const RechoiceOptions& options, Instant start, Instant now);

// Looks at those that are promised at one site, a bounded piece a turn; a pass begins at most once
// a minute, when a site has got more room.
void SeekRechoices(Federation& f, Turn& t);
std::optional<BootInstant> NextRechoice(const Federation& f);

}  // namespace muster::meta
