// What a part finds in its environment: the MUSTER_* variables of cli.md section 6, but for those
// only a driver knows (node file, secret file, submit directory, CUDA_VISIBLE_DEVICES).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/hold.h"

namespace muster::site {

// REQUIRES: `part` is one of hold.parts and hold.order.parts, and the hold is permitted. The part
// starts now.
std::map<std::string, std::string> PartEnvironment(const std::string& site,
                                                   const schemas::HoldRecord& hold,
                                                   const schemas::PartRecord& part, Instant now);

// Distinct nodes of a place in chunk order; the first one runs the command.
std::vector<std::string> NodesOf(const schemas::PartPlace& place);

// "42.1": a part's name everywhere. "2026-11-19T14:00:00Z".
std::string PartName(RequestId request, uint32_t index);
std::string Rfc3339(Instant at);

}  // namespace muster::site
