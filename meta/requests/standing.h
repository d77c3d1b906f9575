// Standing reservations of users (cli.md section 2, `reserve --every`): a request that books
// nothing itself. At each of its times begins a reservation of its own, made ahead of time as far
// as the federation plans; these are placed, shared, moved and given back like any. What was made
// is on record as the time before which no more is made (`from`). OpenCCS Sect. 3 (Validity, cron)
// and 4 (rRS).
#pragma once

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

inline constexpr size_t kOccurrencesAhead = 64;  // unfinished ones of one standing reservation

// Whether its times come at all, apart from each other and within its window.
verifier::Fault CheckStanding(const RequestsLayer& f, const schemas::RequestSpec& spec, Moment now);

// Makes the reservations that are near enough, and arms the next look (RequestsLayer::provisional);
// ends it when no more come and the last has ended. REQUIRES: it is standing.
void TendStanding(RequestsLayer& f, Turn& t, Request& request);

}  // namespace muster::meta
