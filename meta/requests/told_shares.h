// Tells sites that weigh the federation's shares how these stand (Standing of schemas/site_link.h).
// scheduling.md section 11.
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// A site hears of a share that moved by as much, in thousandths.
inline constexpr int64_t kShareMoved = 10;

// Looks once in each time of the grid of points, or of kSharesTold without [priority], and at a
// site that was welcomed since it was told.
void TellShares(RequestsLayer& f, Turn& t);
inline constexpr Span kSharesTold{60};

}  // namespace muster::meta
