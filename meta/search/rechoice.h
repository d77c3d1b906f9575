// Re-choice while waiting: a promised request of one part goes to another site that would start it
// earlier. The shadows say where that may be; the sites are asked, the new place is committed, the
// old one is given back unless it has started, and the promise gets earlier or stays.
// meta/search/moves.h says when. scheduling.md section 4 (Re-choice while waiting), protocol.md
// section 5 (meta, n = 1, other site).
#pragma once

#include "meta/options.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// To a start that comes at once it goes for any gain that people could notice, to a later one for a
// clear one: 5 minutes and 10 % of the wait that remains.
enum class Gain : uint8_t { kAtOnce, kClear };

// From the search to the release of the old place there are three round trips. A start that is not
// so far ahead is of no use to anybody, so none is asked for.
inline constexpr Span kMoveAhead{2};

// Starts for which a place at `start` is worth giving up: with kClear those of kAtOnce too. Not
// before its user has had notice (verifier/start_notice.h). Empty if there are none.
Interval WorthGoing(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant now, Gain gain);

// A site's shadow leaves it a chance of such a start: another site than it has or, for one that
// waits behind a gate, that one too, which moves it by itself only once it is permitted.
bool MayGoElsewhere(const SearchLayer& f, const Turn& t, const Request& request,
                    const Attempt& attempt, Gain gain);

}  // namespace muster::meta
