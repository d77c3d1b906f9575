// How long requests run is learned when they end, and who comes when they are placed; only from
// what is on record of them: so that a meta that starts again knows what it knew. scheduling.md
// section 6 (Predictor).
#pragma once

#include <cstddef>

#include "meta/forecast/known.h"

namespace muster::meta {

struct ForecastLayer;
struct Turn;

// Of the requests on record the newest that have ended are recalled, which takes a second at most.
// A user's habits fade within some dozen outcomes, those of all within some hundreds.
inline constexpr size_t kRecalled = 200'000;

// Learns from what this turn changed, and judges the intervals that were told.
void Learn(ForecastLayer& f, Known& known, Turn& t);

// What is known at a start: the run times of what has ended, since when others run, and who came.
Known Recall(const ForecastLayer& f);

}  // namespace muster::meta
