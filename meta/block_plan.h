// A block before anybody is asked: its requests as a packing problem over the shadows of the sites,
// the votes they cast, and where they are packed. scheduling.md sections 1 (Packing, Compaction)
// and 2.
#pragma once

#include <string>
#include <vector>

#include "meta/turn.h"

namespace muster::meta {

struct PlannedEntry {
  RequestId id;
  std::vector<std::string> part_sites;  // in part order
  Instant start;
};

// Votes, packs and compacts; in compacted order, ties by rank. Requests that the shadows know no
// place for are left out. REQUIRES: `ids` are by rank and on record.
std::vector<PlannedEntry> PlanBlock(Federation& f, Turn& t, const std::vector<RequestId>& ids);

}  // namespace muster::meta
