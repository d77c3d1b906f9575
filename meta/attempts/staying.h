// Where a hold of one member has gone while nobody was told, and what its user is told when it
// stays. protocol.md section 5 (moved).
#pragma once

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Why a hold is where it is, if no change told: what made it later is on its record; earlier it
// gets by backfilling only.
schemas::Cause WhyMoved(const Site& site, const schemas::MirrorRecord& hold, bool later);

// Of a place that was being given back, so that its moves were told to nobody, and that is kept or
// has started: tells the promise as it is now, unless that was told last.
void TellStaying(AttemptsLayer& f, Turn& t, Request& request, const Attempt& attempt);

}  // namespace muster::meta
