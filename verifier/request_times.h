// When a request may start and what one site is asked of it: reading a request as its user wrote
// it. Both sides of the protocol need it: the meta for everything, a site for its local jobs.
#pragma once

#include <cstdint>

#include "base/interval.h"
#include "schemas/hold.h"
#include "schemas/request.h"

namespace muster::verifier {

// Starts of the request its user allows: exactly `at`, else from `from` (or ever) up to `start_by`
// and to what the deadline leaves after the longest offset and the duration; of a slot-aware
// request only those with which it lies wholly inside one of its slots. Empty if they contradict
// each other.
IntervalSet AllowedStarts(const schemas::RequestSpec& spec);
// The same where it lasts another time than it asks for.
IntervalSet AllowedStarts(const schemas::RequestSpec& spec, Span duration);

// The last start its user allows; kFarFuture if there is none.
Instant LastAllowedStart(const schemas::RequestSpec& spec);
Instant LastAllowedStart(const schemas::RequestSpec& spec, Span duration);

// Offset of the parts that start first, and of those that start last. REQUIRES: at least one part.
Span FirstOffset(const schemas::RequestSpec& spec);
Span LastOffset(const schemas::RequestSpec& spec);

// One part as a site plans it. `index` is from 1.
schemas::PartDemand DemandOf(const schemas::RequestSpec& spec, uint32_t index, Span tail);

}  // namespace muster::verifier
