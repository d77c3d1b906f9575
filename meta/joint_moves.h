// Joint moves: a co-allocation that is promised starts clearly earlier once all its sites have room
// earlier at the same time. Each site offers what it has; the meta holds the common start beside
// the place that is there and decides for it (replace before release), so the promise gets earlier
// or stays. protocol.md sections 2 (offer) and 5 (meta, n > 1), scheduling.md section 5.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "meta/turn.h"

namespace muster::meta {

// What the timeline of such a request says.
inline constexpr char kStartsJointly[] = "starts earlier at all its sites";

// `site` would start its parts of the attempt at any of these instants; its newest word counts. An
// error is what only a site says that is wrong: an offer for what it has no part in. An offer that
// was overtaken by the end of its attempt is no error and does nothing.
absl::Status OnOffer(Federation& f, Turn& t, const std::string& site, const schemas::Offer& offer);

}  // namespace muster::meta
