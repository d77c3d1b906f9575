// How fast the nodes are on which a site may put a part, as far as its node classes tell. Maui
// Sect. IV (node sets), scheduling.md section 1 (Shadow).
#pragma once

#include <cstdint>

#include "base/node_set.h"
#include "schemas/request.h"
#include "schemas/site_link.h"

namespace muster::verifier {

// In thousandths of the reference.
struct NodeSpeeds {
  int64_t least = kFullSpeed;
  int64_t most = kFullSpeed;
  bool operator==(const NodeSpeeds&) const = default;
};

// The bounds over the classes that could host a chunk of the part and have a value that its node
// set names; the reference speed if there is no such class.
NodeSpeeds SpeedsFor(const schemas::PartSpec& part, const schemas::Capacity& capacity);

}  // namespace muster::verifier
