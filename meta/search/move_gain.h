// Decides which other starts are worth a move: how much earlier, and how soon, they must be.
// scheduling.md sections 4 (Re-choice while waiting), 5 and 16.
#pragma once

#include <optional>
#include <string>

#include "base/interval.h"
#include "base/time.h"
#include "meta/options.h"
#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

inline constexpr Span kAtOnceWithin{60};  // a start at most this far ahead counts as immediate
inline constexpr Span kLeastAtOnce{2};    // least gain that is worth a move to an immediate start

// Finding a place and releasing the old one takes three round trips. Starts nearer than this could
// not be reached in time, so none are asked for.
inline constexpr Span kMoveAhead{2};

// The gain a move needs: to an immediate start any gain that a user notices; to a later one a clear
// gain, which is the larger of least_gain (5 minutes) and 10 % of the remaining wait.
enum class Gain : uint8_t { kAtOnce, kClear };

// Starts worth giving up a place at `start` for, respecting the user's notice
// (verifier/start_notice.h). kClear includes the starts of kAtOnce. Empty if there are none.
Interval WorthGoing(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant now, Gain gain);

// Starts worth a joint move from `start`: one within lead + 60 s from now for any gain that a user
// notices, a later one for 60 s and 1/50 of the remaining wait. Empty if there are none.
Interval WorthAJointMove(const SearchLayer& f, const Turn& t, const Request& request,
                         Instant start);

// From when on a start at `earlier` is worth a joint move from `start`, since the gain that is
// needed shrinks as the start comes nearer. None if it never is.
std::optional<Instant> WorthAJointMoveFrom(const SearchLayer& f, Instant start, Instant earlier);

// True if a start at `elsewhere` is worth leaving the one at `start`.
bool IsWorthAMove(const SearchLayer& f, const Turn& t, const Request& request, Instant start,
                  Instant elsewhere);

// The last start elsewhere for which a request may leave its place: the promise, which is the start
// and the site's start slack, does not get later.
Instant LastToGiveWay(const SearchLayer& f, const Attempt& place, const std::string& site);

}  // namespace muster::meta
