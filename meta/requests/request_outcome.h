// How a request goes on when an attempt is over: it is placed again, parked or ended. Also the
// state that its user sees. protocol.md sections 3.2 (below the table) and 3.5.
#pragma once

#include <optional>
#include <string>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/ending.h"

namespace muster::meta {

// Recomputes the state that users see from the binding attempt and its sites; marks the request if
// it changed.
void RefreshState(RequestsLayer& f, Turn& t, Request& request);

// Ends the request with this outcome; does nothing if it has ended. `text` goes into its timeline.
void EndRequest(RequestsLayer& f, Turn& t, Request& request, schemas::Outcome outcome,
                std::string text, std::optional<schemas::Reason> reason = std::nullopt);

// Whether the request gives its place back, or ended, because what it comes after did not end as
// asked: its reason is kDependency. REQUIRES: it is being cancelled or has ended.
bool CannotFollow(const Request& request);

// Ends a request that is being cancelled, whose places are all given back: as refused if it cannot
// follow what it comes after, else as cancelled.
void EndCancelling(RequestsLayer& f, Turn& t, Request& request);

// The binding attempt is lost for this cause: the request waits again and keeps its rank. It is
// parked instead if its user parked it, or after more than kReplacementsPerRequest losses.
void PlaceAgain(RequestsLayer& f, Turn& t, Request& request, const schemas::Cause& cause,
                const std::string& text);

// Why a request lost its place: the cause, and the text for its timeline.
struct LostPlace {
  schemas::Cause cause;
  std::string text;
};
// C12: all members are closed. Ends the request as its parts ended, or leaves its outcome unknown.
// If the request must be placed again instead, returns why; the caller must then place it again.
std::optional<LostPlace> SettleOutcome(RequestsLayer& f, Turn& t, Request& request,
                                       const Attempt& attempt);

// The site of a part that ended badly, so that the others are released: the default of
// on_part_failure. None if no part did, or if the others go on.
std::optional<std::string> SiteOfFailedPart(const RequestsLayer& f, const Request& request,
                                            const Attempt& attempt);

// Text for timelines, as in "node_lost at lakes".
using verifier::CauseText;

}  // namespace muster::meta
