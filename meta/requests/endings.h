// How requests go on when an attempt is over: placed again, parked, ended; and what their users see
// meanwhile. protocol.md sections 3.2 (below the table) and 3.5.
#pragma once

#include <optional>
#include <string>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/ending.h"

namespace muster::meta {

// The state its users see, recomputed from the binding attempt and its sites; marks the request if
// it changed.
void RefreshState(RequestsLayer& f, Turn& t, Request& request);

// The request is over.
void EndRequest(RequestsLayer& f, Turn& t, Request& request, schemas::Outcome outcome,
                std::string text, std::optional<schemas::Reason> reason = std::nullopt);

// The binding attempt is lost with this cause: the request waits again, its rank kept; after
// kReplacementsPerRequest of these it is parked.
void PlaceAgain(RequestsLayer& f, Turn& t, Request& request, const schemas::Cause& cause,
                const std::string& text);

// Why a request has no place any more, and how that is told.
struct LostPlace {
  schemas::Cause cause;
  std::string text;
};
// C12: all members closed. Ends the request by what its parts did; or says what it is to be placed
// again for, and does not.
std::optional<LostPlace> SettleOutcome(RequestsLayer& f, Turn& t, Request& request,
                                       const Attempt& attempt);

// Default of on_part_failure: one part ended badly, so the others are released.
bool PartFailed(const RequestsLayer& f, const Request& request, const Attempt& attempt);

// "node_lost at lakes", for timelines.
using verifier::CauseText;

}  // namespace muster::meta
