// How long requests run is learned when they end, and who comes when they are placed; only from
// what is on record of them: so that a meta that starts again knows what it knew. scheduling.md
// section 6 (Predictor).
#pragma once

#include <cstddef>
#include <optional>

#include "meta/forecast/forecasts.h"
#include "meta/forecast/layer.h"

namespace muster::meta {

// Of the requests on record the newest that have ended are recalled, which takes a second at most.
// A user's habits fade within some dozen outcomes, those of all within some hundreds.
inline constexpr size_t kRecalled = 200'000;

// When the last of its parts that started did, its offset taken off, as their sites told; none:
// none did.
std::optional<Moment> StartOf(const ForecastLayer& f, const Request& request);

// What lasts so long for it, as the reference would take.
Span AsReference(const ForecastLayer& f, const Request& request, Span length);

// It has ended: what that teaches of its kind, which is nothing if somebody cut it short. To be
// called once, in the order in which requests end.
void LearnRun(const ForecastLayer& f, const Request& request, forecast::RunTimes& run_times);

// It has its first place: what comes to its queue, and when. To be called once.
void LearnArrival(const ForecastLayer& f, const Request& request, forecast::Arrivals& arrivals);

// What is known at a start: the run times of what has ended, since when others run, and who came.
Forecasts Recall(const ForecastLayer& f);

}  // namespace muster::meta
