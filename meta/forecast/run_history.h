// Learns run times when requests end, and arrivals when requests get a place. It uses only what is
// on record, so that a restarted meta knows the same. scheduling.md section 6 (Predictor).
#pragma once

#include <cstddef>

#include "meta/forecast/known.h"

namespace muster::meta {

struct ForecastLayer;
struct Turn;

// At most this many of the newest ended requests are learned from again at a start of the meta,
// which takes up to a second. Older ones hardly matter: a user's outcomes fade within a few dozen,
// those of all users within a few hundred.
inline constexpr size_t kRecalled = 200'000;

// Learns from this turn's changes, and judges the published intervals.
void Learn(ForecastLayer& f, Known& known, Turn& t);

// Rebuilds, at a start of the meta, what the records tell: run times of ended requests, start times
// of running ones, and arrivals.
Known Recall(const ForecastLayer& f);

}  // namespace muster::meta
