// Standing reservations of users (cli.md section 2, `reserve --every`): a request that books
// nothing itself. For each of its times it makes a reservation of its own, ahead of time as far as
// the federation plans; these are placed, shared, moved and given back like any other. `from` in
// its record moves on with each one made, so that no time is used twice. OpenCCS Sect. 3 (Validity,
// cron) and 4 (rRS).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// Most unfinished occurrences of one standing reservation.
inline constexpr size_t kOccurrencesAhead = 64;

// Checks that its times occur at all, that some lie within its window, and that the occurrences do
// not overlap. Other requests pass.
verifier::Fault CheckStanding(const RequestsLayer& f, const schemas::RequestSpec& spec, Moment now);

// Makes the reservations that are near enough, and schedules the next check
// (RequestsLayer::provisional). Ends the request when no more times come and the last occurrence
// has ended. REQUIRES: it is standing.
void TendStanding(RequestsLayer& f, Turn& t, Request& request);

}  // namespace muster::meta
