// After a gap of any kind the two sides are compared, hold by hold: what the meta decided is said
// again, what nobody needs is released, what a lost write forgot is adopted. protocol.md
// sections 3.6 and 7.3.
#pragma once

#include <string>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// All live holds of a site that has caught up (SYNCING).
void CompareSite(AttemptsLayer& f, Turn& t, Site& site);
// One hold whose state changed or was compared. A hold of an attempt the meta does not know is
// adopted, released, or waits for the site's listing, which tells what it was ordered.
void CompareHold(AttemptsLayer& f, Turn& t, Site& site, const Fence& fence);
// With its heartbeat: what was told to be released as nobody needs it, and is there still, is told
// again; that order may have been lost.
void RepeatReleases(Turn& t, Site& site);

}  // namespace muster::meta
