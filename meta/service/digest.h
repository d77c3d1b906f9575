// The digest of all that is durable, in key order (G7: equal before and after a restart, but for
// the epoch).
#pragma once

#include "meta/service/layer.h"

namespace muster::meta {

Digest DurableDigest(const ServiceLayer& f);

}  // namespace muster::meta
