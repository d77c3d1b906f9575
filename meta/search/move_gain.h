// Which other start is worth a move: how much earlier it must be, and how near. scheduling.md
// sections 4 (Re-choice while waiting) and 5.
#pragma once

#include "base/interval.h"
#include "base/time.h"
#include "meta/options.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

inline constexpr Span kAtOnceWithin{60};  // a start as near as that comes at once
inline constexpr Span kLeastAtOnce{2};    // the gain that is worth a move to one

// From the search to the release of the old place there are three round trips. A start that is not
// so far ahead is of no use to anybody, so none is asked for.
inline constexpr Span kMoveAhead{2};

// To a start that comes at once it goes for any gain that people could notice, to a later one for a
// clear one: 5 minutes and 10 % of the wait that remains.
enum class Gain : uint8_t { kAtOnce, kClear };

// Starts for which a place at `start` is worth giving up: with kClear those of kAtOnce too. Not
// before its user has had notice (verifier/start_notice.h). Empty if there are none.
Interval WorthGoing(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant now, Gain gain);

// Starts of the request, now to start at `start`, to which a move is worth it: to one that comes at
// once for any gain that people could notice, else for a clear one. Empty if there are none.
Interval WorthAJointMove(const SearchLayer& f, const Turn& t, const Request& request,
                         Instant start);

// Whether a start at `elsewhere` is worth leaving the one at `start` for.
bool IsWorthAMove(const SearchLayer& f, const Turn& t, const Request& request, Instant start,
                  Instant elsewhere);

}  // namespace muster::meta
