// Standing reservations of users (cli.md section 2, `reserve --every`): a request that books
// nothing itself. At each of its times begins a reservation of its own, made ahead of time as far
// as the federation plans; these are placed, shared, moved and given back like any. What was made
// is on record as the time before which no more is made (`from`). OpenCCS Sect. 3 (Validity, cron)
// and 4 (rRS).
#pragma once

#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

inline constexpr size_t kOccurrencesAhead = 64;  // unfinished ones of one standing reservation

inline bool IsStanding(const Request& request) {
  return request.record().spec.reserves && request.record().spec.reserves->every;
}

// Whether its times come at all, apart from each other and within its window.
verifier::Fault CheckStanding(const RequestsLayer& f, const schemas::RequestSpec& spec, Moment now);

// Makes the reservations that are near enough, and arms the next look (RequestsLayer::provisional);
// ends it when no more come and the last has ended. REQUIRES: it is standing.
void TendStanding(RequestsLayer& f, Turn& t, Request& request);

// These, and with each standing one its reservations that have not begun.
std::vector<RequestId> WithOccurrences(const RequestsLayer& f, const std::vector<RequestId>& ids);

// The next of its reservations that has not ended; none if there is none.
std::optional<RequestId> NextOccurrence(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
