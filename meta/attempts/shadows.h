// What attempts take in the shadows of their members, by which the meta counts on room.
#pragma once

#include <string>

#include "meta/attempts/layer.h"

namespace muster::meta {

// Books the attempt in the shadow of one member, at `start`; or frees it. What that gives back is
// noted for those who wait.
void BookShadow(AttemptsLayer& f, const Attempt& attempt, const std::string& site, Instant start);
void FreeShadow(AttemptsLayer& f, const Fence& fence, const std::string& site);

}  // namespace muster::meta
