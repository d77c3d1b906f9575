// Nobody loses by joining: what is booked for others at a site and has not started gives way to a
// request of the site's own users, if it has no later start elsewhere. It is re-choice with another
// reason: the new place is bound before the old one is released, so no promise gets later.
// scheduling.md section 16.
#pragma once

#include "meta/search/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

inline constexpr BootSpan kHomePassApart = Seconds(5);  // between passes over home requests
inline constexpr size_t kGiveWayPerPass = 8;            // most searches that a pass begins
// So often a request gives way at most: it is not sent to and fro between sites.
inline constexpr int64_t kGiveWayMost = 4;

// Continues a running pass over the promised requests of users with a home by a bounded piece, or
// begins one that is due. Bookings of others that are in the way of one, and for which other sites
// may have room, are sought another place. Nothing if [scheduler] home_first is off.
void SeekRoomAtHome(SearchLayer& f, Turn& t);

}  // namespace muster::meta
