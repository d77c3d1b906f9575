// What a request waits for besides room: others that it comes after, and its array's limit of
// elements at once. A request whose gate is shut is promised a start behind those others, by a
// commit without a permit; the permit, the only right to start, is written when the gate is open.
// cli.md section 2 (--after, -a), protocol.md sections 0.1, 3.2 and 4.
#pragma once

#include <optional>

#include "base/interval.h"
#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Of all that a request comes after: it has ended as asked; not yet; it never will.
enum class AfterStands : uint8_t { kHolds, kPending, kNever };
AfterStands AfterOf(const RequestsLayer& f, const Request& request, Moment now);

// One of them: whether it has ended, and well, or when it will have at the latest, as promised.
struct Awaited {
  bool ended = true;  // a record that is kept no more ended long ago
  bool well = false;
  std::optional<Instant> due;
};
Awaited LookAt(const RequestsLayer& f, RequestId id, Moment now);
AfterStands StandsOf(const schemas::Dependency& d, const Awaited& other);

// Its permit may be written: what it comes after has ended as asked, and its array has a place.
bool GateIsOpen(const RequestsLayer& f, const Request& request, Moment now);
// The same for the permit of this attempt, which may be for what the request was before it is
// altered.
bool GateIsOpenFor(const RequestsLayer& f, const Request& request, const Attempt& attempt,
                   Moment now);

// From when on the gate will be open, by what is promised of the others: the epoch if it is now;
// none while nobody can tell.
std::optional<Instant> GateOpensAt(const RequestsLayer& f, const Request& request, Moment now);

// Its attempt, if that binds its sites; null: none does.
const Attempt* BoundAttempt(const RequestsLayer& f, const Request& request);

// Start of the place that a request has while it seeks an earlier one; none if it has none, or one
// that cannot stay (it is endangered, or its gate opens later).
std::optional<Instant> SoundPlace(const RequestsLayer& f, const Turn& t, const Request& request);

// Why a request that waits for others goes from this place to one at `start`.
schemas::Cause CauseOfMove(const RequestsLayer& f, const Attempt& old, Instant start);

// Why it cannot come after these: one of them waits for it, through others maybe, or has ended
// otherwise than asked; none if it can.
std::optional<schemas::Reason> WhyNotAfter(const RequestsLayer& f, const Request& request,
                                           const std::vector<schemas::Dependency>& after,
                                           Moment now);

// An element's place among those that may run at once, and in time: to be called when an attempt is
// made, bound or moved, and when one was closed.
void TakePlace(RequestsLayer& f, const Request& request, const Attempt& attempt);
void GiveBackPlace(RequestsLayer& f, Turn& t, const Request& request);

}  // namespace muster::meta
