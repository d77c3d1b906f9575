// Compares both sides hold by hold after a gap of any kind: orders for what the meta decided are
// repeated, holds that nobody needs are released, and holds whose record was lost are adopted.
// protocol.md sections 3.6 and 7.3.
#pragma once

#include <string>

#include "meta/attempts/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Compares all live holds of a site that has caught up (SYNCING), or has listed them.
void CompareSite(AttemptsLayer& f, Turn& t, Site& site);
// Compares one hold. If the meta does not know its attempt, the hold is adopted, released, or waits
// for the site's listing, which contains its order.
void CompareHold(AttemptsLayer& f, Turn& t, Site& site, const Fence& fence);
// With each heartbeat: orders the release of unwanted holds again, since an earlier order may have
// been lost.
void RepeatReleases(Turn& t, Site& site);

}  // namespace muster::meta
