// Prints what the messages between meta and sites say about one fence, to debug a failure.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "schemas/site_link.h"

namespace muster::sim {

// What the message says about the fence, one string per order, change or answer; empty if nothing.
// Hello, welcome, resync, listing and steering concern more than one fence and always have a
// string.
std::vector<std::string> Lines(const schemas::ToSite& message, const Fence& fence);
std::vector<std::string> Lines(const schemas::ToMeta& message, const Fence& fence);

}  // namespace muster::sim
