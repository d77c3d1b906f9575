// Books attempts in the shadows of their members, from which the meta estimates free room.
#pragma once

#include <string>

#include "meta/attempts/layer.h"

namespace muster::meta {

// BookShadow books the attempt in the shadow of one member, at `start`; FreeShadow frees it. Room
// that is given back is reported to the search (RoomBack).
void BookShadow(AttemptsLayer& f, const Attempt& attempt, const std::string& site, Instant start);
void FreeShadow(AttemptsLayer& f, const Fence& fence, const std::string& site);

}  // namespace muster::meta
