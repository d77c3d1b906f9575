// What attempts, and the requests they are of, tell those who search for places: acted on above
// (meta/search/on_attempts.h).
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

// It binds the request.
struct Bound {
  RequestId request;
};
// The place that bound the request is lost: it waits again.
struct WaitsAgain {
  RequestId request;
};
// The request is as it was before it was tried as another, or elsewhere.
struct AsBefore {
  RequestId request;
};
// A reservation has a place, has lost it, or lets in others: those inside of it look again.
struct ReservationMoved {
  RequestId reservation;
};

using AttemptNews = std::variant<RoomBack, PlacingRefused, HeldBeside, StartedMeanwhile, Bound,
                                 WaitsAgain, AsBefore, ReservationMoved>;

}  // namespace muster::meta
