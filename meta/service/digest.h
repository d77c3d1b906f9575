// Digest of all durable state, in key order. It leaves out the epoch, which grows with each start,
// so it is the same before and after a restart (G7).
#pragma once

#include "meta/service/layer.h"

namespace muster::meta {

Digest DurableDigest(const ServiceLayer& f);

}  // namespace muster::meta
