// Times and demands derived from a request's spec: when it may start, and what it asks of one site.
// The meta uses them for all requests, a site for its local jobs.
#pragma once

#include <cstdint>

#include "base/interval.h"
#include "schemas/hold.h"
#include "schemas/request.h"

namespace muster::verifier {

// The starts that the user allows: either exactly `at`; or those from `from` (default: any time) to
// `start_by`, and no later than the deadline less the last offset and the duration. In both cases a
// request with slots must lie wholly inside one of them. Empty if the conditions contradict each
// other.
IntervalSet AllowedStarts(const schemas::RequestSpec& spec);
// The same for a duration other than the requested one.
IntervalSet AllowedStarts(const schemas::RequestSpec& spec, Span duration);

// The last start that `at`, or `start_by`, the deadline and the slots allow. kFarFuture if
// unlimited; negative if no slot is long enough.
Instant LastAllowedStart(const schemas::RequestSpec& spec);
Instant LastAllowedStart(const schemas::RequestSpec& spec, Span duration);

// The smallest and the largest offset of its parts. REQUIRES: at least one part.
Span FirstOffset(const schemas::RequestSpec& spec);
Span LastOffset(const schemas::RequestSpec& spec);

// The demand of one part, as a site plans it. `index` is from 1.
schemas::PartDemand DemandOf(const schemas::RequestSpec& spec, uint32_t index, Span tail);

}  // namespace muster::verifier
