// The meta's own record: how its promises and forecasts came out, counted by day and site, durable.
// A promise counts once, when its request has ended; a forecast when its interval was judged and
// when the request started. cli.md section 3 (calibration), protocol.md section 5 (causes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/calibration.h"
#include "schemas/kept.h"

namespace muster::meta {

struct ForecastLayer;
class Request;
struct Turn;

// By day since 1970, UTC; no more than kRecordDays and today.
using Outcomes = schemas::Kept<int64_t, schemas::OutcomeRecord>;

// It has ended: was its first promise kept, or since when its user changed it the one after that?
// Nothing counts that had no promise, or that its user took back before the start.
void CountPromise(ForecastLayer& f, Turn& t, const Request& request);

// Its first interval, of that width, was judged; `waited`: until then.
void CountInterval(ForecastLayer& f, Turn& t, const Request& request, bool held, Span width,
                   Span waited);
// It started, so far from the expected start it was told first.
void CountStart(ForecastLayer& f, Turn& t, const Request& request, Span from_expected);

// Of all days on record: sites by name, then all. `confidence`: what intervals are to hold.
schemas::CalibrationView CalibrationOf(const Outcomes& outcomes, Instant now, double confidence);

}  // namespace muster::meta
