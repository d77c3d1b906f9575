// Prints one line per message between meta and sites about one fence, to debug a failure.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "schemas/site_link.h"

namespace muster::sim {

// What the message says about the fence, one string per entry; empty if nothing.
std::vector<std::string> Lines(const schemas::ToSite& message, const Fence& fence);
std::vector<std::string> Lines(const schemas::ToMeta& message, const Fence& fence);

}  // namespace muster::sim
