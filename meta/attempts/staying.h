// Moves of a single-member hold that the user was not shown, and what the user sees when the hold
// stays. protocol.md section 5 (moved).
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Cause of a move that no change reported. An earlier start comes from backfilling only. For a
// later start it is the cause on the hold's record, or site_silent if that has none.
schemas::Cause WhyMoved(const Site& site, const schemas::MirrorRecord& hold, bool later);

// Shows the present promise of a place whose moves were hidden while it was being released, and
// that is kept or has started; does nothing if that promise was the last one shown.
void TellStaying(AttemptsLayer& f, Turn& t, Request& request, const Attempt& attempt);

}  // namespace muster::meta
