// What is expected of a job that is not submitted yet: for each start that a site offered to a
// question, the job is the last of its queue there, in a copy of that site's plan as the last run
// has it, and only that site's futures are gone through. Equal questions within a second get equal
// answers for nothing. scheduling.md section 6 (Questions), cli.md section 3 (ask).
#pragma once

#include <cstddef>

#include "meta/forecast/forecasts.h"

namespace muster::meta {

struct ForecastLayer;
struct Turn;

// Goes on with the offers of an answer until about `most` jobs were looked at, or all are done;
// returns how many were. REQUIRES: held.quote, and a run that laid out those who wait.
size_t GoOnQuoting(const ForecastLayer& f, Forecasts& forecasts, const Turn& t, size_t most,
                   HeldAnswer& held);
bool QuoteIsDone(const HeldAnswer& held);

}  // namespace muster::meta
