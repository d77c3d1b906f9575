// Gates: what a request waits for besides room, namely its dependencies and its array's limit of
// elements at once. A request whose gate is shut is promised a start at which the gate should be
// open, by a commit without a permit. The permit, the only right to start, is written when the gate
// is open. cli.md section 2 (--after, -a), protocol.md sections 0.1, 3.2 and 4.
#pragma once

#include <optional>

#include "base/interval.h"
#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Combined state of a request's dependencies: satisfied, pending, or impossible.
enum class AfterStands : uint8_t { kHolds, kPending, kNever };
AfterStands AfterOf(const RequestsLayer& f, const Request& request, Moment now);

// State of one request that another one depends on: whether it has ended, whether it succeeded, and
// its latest end as promised if it has not ended.
struct Awaited {
  bool ended = true;  // also if its record is no longer kept: it ended long ago
  bool well = false;
  std::optional<Instant> due;
};
Awaited LookAt(const RequestsLayer& f, RequestId id, Moment now);
AfterStands StandsOf(const schemas::Dependency& d, const Awaited& other);

// Whether the request may be permitted: its dependencies are satisfied, and it has one of its
// array's places or one is free.
bool GateIsOpen(const RequestsLayer& f, const Request& request, Moment now);
// The same for the permit of this attempt, which may be for the request as it was before an
// alteration.
bool GateIsOpenFor(const RequestsLayer& f, const Request& request, const Attempt& attempt,
                   Moment now);

// When the gate will open, by the promises of the requests that it waits for: Instant{0} if it
// waits for none, nullopt if one of them has no known end. Ended requests count as satisfied
// dependencies.
std::optional<Instant> GateOpensAt(const RequestsLayer& f, const Request& request, Moment now);

// The attempt that binds the request; null if none does.
const Attempt* BoundAttempt(const RequestsLayer& f, const Request& request);

// Start of the place that a request keeps while it seeks an earlier one. None if it seeks none, is
// being altered, or has a place that cannot stay (endangered, or the gate opens later).
std::optional<Instant> SoundPlace(const RequestsLayer& f, const Turn& t, const Request& request);

// Cause of a dependent request's move from this place to one at `start`.
schemas::Cause CauseOfMove(const RequestsLayer& f, const Attempt& old, Instant start);

// Why the request cannot depend on `after`: one of these waits for it, directly or through others,
// or has ended otherwise than required. None if it can.
std::optional<schemas::Reason> WhyNotAfter(const RequestsLayer& f, const Request& request,
                                           const std::vector<schemas::Dependency>& after,
                                           Moment now);

// TakePlace records for an element its booked span, and whether it has one of its array's places or
// waits for one. GiveBackPlace undoes this unless the element has another attempt. Call TakePlace
// when an attempt is made, bound or moved, GiveBackPlace when one was closed.
void TakePlace(RequestsLayer& f, const Request& request, const Attempt& attempt);
void GiveBackPlace(RequestsLayer& f, Turn& t, const Request& request);

}  // namespace muster::meta
