// Learns run times from requests as they come, start and end, and arrivals when requests get a
// place. It uses only what is on record, so that a restarted meta knows the same. scheduling.md
// section 6 (Predictor).
#pragma once

#include "meta/forecast/known.h"

namespace muster::meta {

struct ForecastLayer;
struct Turn;

// Learns from this turn's changes, and judges the published intervals.
void Learn(ForecastLayer& f, Known& known, Turn& t);

// Rebuilds, at a start of the meta, what the records tell: run times of ended requests, start times
// of running ones, and arrivals.
Known Recall(const ForecastLayer& f);

}  // namespace muster::meta
