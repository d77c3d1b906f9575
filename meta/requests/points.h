// Points of requests: what [priority] makes of what is on record. They order those who wait, beside
// promises, and never move a promise (Maui Sect. III; scheduling.md section 11).
//
// All requests get their points anew on a grid of plan time, those whose record changed in the turn
// of the change. Between two times of the grid equal facts give equal points. After a restart the
// order is the same as soon as the sites have said again what they have; only shares are worked out
// anew, with what has come since.
#pragma once

#include <cstddef>
#include <optional>

#include "base/ids.h"
#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "policy/points.h"

namespace muster::meta {

// Most requests that get their points anew in one turn because of the grid; all in the first one.
inline constexpr size_t kRankedPerTurn = 10'000;

// For how long the request could have been placed, up to `now`: not before its earliest start, not
// while a job that it waits for has not ended, not while it is parked. An element that waits for
// its array's limit counts as waiting.
Span TimeWaited(const RequestsLayer& f, const Request& request, Moment now);
// What the request asks for and how long it has waited; not who asks.
policy::Asker AskedBy(const RequestsLayer& f, const Request& request, Moment now);
// What the points of a request depend on. REQUIRES: f.options.priority.
policy::Asker AskerOf(const RequestsLayer& f, const Request& request, Moment now);
policy::Largest LargestOf(const RequestsLayer& f);
// The moment for which points hold that are worked out now. REQUIRES: f.options.priority.
Moment PointsAt(const RequestsLayer& f, const Turn& t);

// Puts the wait up to now on record, before the request is parked or unparked or its specification
// changes. The wait goes on from now on as the request then is.
void CountWait(RequestsLayer& f, Request& request, Moment now);

// Gives points and ranks: to requests of this turn that changed, and at a time of the grid to all
// open ones. True if waiting requests of a queue changed places. Without [priority] points are 0.
bool RankAnew(RequestsLayer& f, Turn& t);
// Plan time at which RankAnew is due again, past while a pass is under way; none if nothing is due.
std::optional<Moment> NextRanking(const RequestsLayer& f);

}  // namespace muster::meta
