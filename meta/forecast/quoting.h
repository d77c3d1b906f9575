// The expected start of a job that is not submitted yet. For each start that a site offered, the
// job is added as the last of its queue to a copy of that site's plan from the last run, and only
// that site's futures are simulated. Equal questions within a second get the stored answer.
// scheduling.md section 6 (Questions), cli.md section 3 (ask).
#pragma once

#include <cstddef>

#include "meta/forecast/forecasts.h"

namespace muster::meta {

struct ForecastLayer;
struct Turn;

// Works on the offers of a held answer until all are done or about `most` jobs were looked at.
// Returns the number of jobs looked at. Without a run whose plans are complete no offer gets a
// figure. REQUIRES: held.quote is set.
size_t GoOnQuoting(const ForecastLayer& f, Forecasts& forecasts, const Turn& t, size_t most,
                   HeldAnswer& held);
bool QuoteIsDone(const HeldAnswer& held);

}  // namespace muster::meta
