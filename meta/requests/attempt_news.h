// What attempts tell those who search for places: found out while their members' messages are taken
// in, and acted on above (meta/search/on_attempts.h).
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "schemas/proposal.h"

namespace muster::meta {

// A site has more room than was counted on: others look for what was given back. What was only
// ordered took room in the shadows alone.
struct RoomBack {
  bool was_committed = false;
};
// C2: no place came of it. `refused`: by member, the way out it told.
struct PlacingRefused {
  RequestId request;
  Fence fence;
  std::vector<std::string> part_sites;
  std::map<std::string, schemas::VerdictEntry> refused;
};
// All members hold what a permitted attempt of the request is to be given back for.
struct HeldBeside {
  RequestId request;
  Fence fence;
};
// What was given back for another place had started, and stays.
struct StartedMeanwhile {
  RequestId request;
};

using AttemptNews = std::variant<RoomBack, PlacingRefused, HeldBeside, StartedMeanwhile>;

}  // namespace muster::meta
