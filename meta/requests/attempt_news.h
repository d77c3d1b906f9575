// News of attempts and their requests for the search for places (meta/search/on_attempts.h).
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "schemas/proposal.h"

namespace muster::meta {

// Room was given back at a site, and other requests may use it. was_committed is false for room
// that only the shadows had booked: no attempt was committed there, nor ordered for a block.
struct RoomBack {
  bool was_committed = false;
};
// C2: the attempt got no place. `refused`: by member, the counter it gave.
struct PlacingRefused {
  RequestId request;
  Fence fence;
  std::vector<std::string> part_sites;
  std::map<std::string, schemas::VerdictEntry> refused;
};
// All members hold this attempt, for which a permitted attempt of the request is to be released.
struct HeldBeside {
  RequestId request;
  Fence fence;
};
// An attempt was being released because its request had another place. It had already started, so
// it stays.
struct StartedMeanwhile {
  RequestId request;
};

// An attempt binds the request.
struct Bound {
  RequestId request;
};
// The request lost the place that bound it, and waits again.
struct WaitsAgain {
  RequestId request;
};
// A trial (an alteration, or a place elsewhere) has ended, and the request is as it was before.
struct AsBefore {
  RequestId request;
};
// A reservation got or lost its place, or admits other users: the jobs inside look for a place
// again.
struct ReservationMoved {
  RequestId reservation;
};

using AttemptNews = std::variant<RoomBack, PlacingRefused, HeldBeside, StartedMeanwhile, Bound,
                                 WaitsAgain, AsBefore, ReservationMoved>;

}  // namespace muster::meta
