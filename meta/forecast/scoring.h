// Counts how promises and forecasts came out (Outcomes): a promise once its request has ended; a
// forecast when its interval is judged and when the request starts. cli.md section 3 (calibration),
// protocol.md section 5 (causes).
#pragma once

#include "base/time.h"
#include "meta/forecast/model/run_model.h"

namespace muster::meta {

struct ForecastLayer;
class Request;
struct Told;
struct Turn;

// For each request that ended in this turn, counts whether its first promise was kept, or, if its
// user changed the request, the first one after that. Not counted are requests without a promise,
// arrays, reservations, and requests that were cancelled or parked before their start.
void CountEnded(ForecastLayer& f, Turn& t);

// Counts the judged first interval of a request, told at `told_at`. `waited`: the wait until it was
// judged.
void CountInterval(ForecastLayer& f, const Turn& t, const Request& request, bool held, Span width,
                   Instant told_at, Span waited);
// Counts a start by its distance from the expected starts: the first one, and those that stood some
// time before it.
void CountStart(ForecastLayer& f, const Turn& t, const Request& request, const Told& told);
// Counts a run time against what was predicted at submission. Call before it is learned.
void CountRun(ForecastLayer& f, const Turn& t, const Request& request,
              const forecast::RunModel& run_model, Span ran);

}  // namespace muster::meta
