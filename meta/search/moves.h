// Those that are promised go on looking: what became free anywhere begins a pass by rank over them,
// 100 ms later, for starts that come at once. A co-allocation then takes any better start
// (meta/search/joint_moves.h), one of one site goes to another one (meta/search/rechoice.h) or, if
// it waits behind a gate that opens earlier than it was thought, to an earlier start where it is.
// Once a minute there is a pass for starts at other sites that are clearly earlier though not at
// once. protocol.md section 5, scheduling.md sections 4 and 5.
#pragma once

#include <optional>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

inline constexpr BootSpan kPassApart = Seconds(1);  // what becomes free in one moment makes one

// Goes on with the passes, a bounded piece a turn; begins those that are owed.
void SeekMoves(SearchLayer& f, Turn& t);
// When this should be called again for that; none while no pass is owed.
std::optional<BootInstant> NextMove(const SearchLayer& f);

// Its attempt, if the request may be given another place: promised, all its sites up, not started,
// before its start barrier, and not on the move already; else null.
const Attempt* Movable(const SearchLayer& f, const Turn& t, const Request& request);

}  // namespace muster::meta
