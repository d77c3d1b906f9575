// What came of promises and forecasts is counted (Outcomes): a promise once, when its request has
// ended; a forecast when its interval was judged and when the request started. cli.md section 3
// (calibration), protocol.md section 5 (causes).
#pragma once

#include "base/time.h"

namespace muster::meta {

struct ForecastLayer;
class Request;
struct Turn;

// The requests that have ended in this turn: was the first promise kept, or since when its user
// changed it the one after that? Nothing counts that had no promise, or that its user took back
// before the start.
void CountEnded(ForecastLayer& f, Turn& t);

// Its first interval, of that width, was judged; `waited`: until then.
void CountInterval(ForecastLayer& f, const Turn& t, const Request& request, bool held, Span width,
                   Span waited);
// It started, so far from the expected start it was told first.
void CountStart(ForecastLayer& f, const Turn& t, const Request& request, Span from_expected);

}  // namespace muster::meta
