// Digest of all durable state, in key order (G7: equal before and after a restart, since it leaves
// out the epoch).
#pragma once

#include "meta/service/layer.h"

namespace muster::meta {

Digest DurableDigest(const ServiceLayer& f);

}  // namespace muster::meta
