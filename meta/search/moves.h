// Promised requests keep looking for an earlier start. A release anywhere begins a pass over them
// by rank, 100 ms later, for immediate starts. A co-allocation takes any better start
// (meta/search/joint_moves.h). A request at one site moves to another site
// (meta/search/relocation.h), or, if it waits for a gate that opens earlier than expected, to an
// earlier start at its own. Once a minute another pass looks for clearly earlier starts at other
// sites. A third one asks what is booked for others to give way (meta/search/giving_way.h).
// protocol.md section 5, scheduling.md sections 4 and 5.
#pragma once

#include <optional>

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

inline constexpr BootSpan kPassApart = Seconds(1);  // between passes for immediate starts

// Continues running passes by a bounded piece, and begins those that are due.
void SeekMoves(SearchLayer& f, Turn& t);
// When to call SeekMoves again. None if no pass is due.
std::optional<BootInstant> NextMove(const SearchLayer& f);

}  // namespace muster::meta
