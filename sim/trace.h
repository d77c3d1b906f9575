// One line a message, for replaying a failure with eyes: what passes between meta and sites about
// one fence.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "schemas/site_link.h"

namespace muster::sim {

// What the message says about that fence, one entry each; empty if nothing.
std::vector<std::string> Lines(const schemas::ToSite& message, const Fence& fence);
std::vector<std::string> Lines(const schemas::ToMeta& message, const Fence& fence);

}  // namespace muster::sim
