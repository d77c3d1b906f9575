// Forecasts of starts: the bound of a waiting request (its start if nobody else came), and its
// expected start, given how long requests really run. Both come from running the sites' planning
// rule forward on the shadows. scheduling.md sections 5 (bound, expected) and 6.
#pragma once

#include <functional>

#include "meta/forecast/forecasts.h"
#include "meta/forecast/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// After a change a run begins at once if the last one took little work, otherwise no sooner than
// kForwardEvery after the last one began. Without a change a run begins kForecastEvery after the
// last one if jobs are open. None begins unless a client needs figures.
inline constexpr BootSpan kForwardEvery = Milliseconds(250);
inline constexpr BootSpan kForecastEvery = Seconds(30);
// Time between two slices of a run, so that a run takes about a tenth of the meta's time. The work
// limits below count jobs looked at; kSliceWork of them took 1 to 3 ms when measured.
inline constexpr BootSpan kSliceEvery = Milliseconds(25);
// For clients that only follow, a run begins at once if the last one took at most this work.
inline constexpr size_t kFollowedWork = 10'000;
// Bounds are verified again when more than this percentage of them moved by more than kMoved.
inline constexpr size_t kMovedPercent = 5;
inline constexpr size_t kSliceWork = 50'000;
// A client's answer waits at most this long for a run that knows of all changes before the
// question.
inline constexpr BootSpan kAnswerWait = Seconds(2);

// Who needs forecasts now, as the service knows.
struct Audience {
  // A client waits for the order in which waiting requests are laid out.
  bool awaits_order = false;
  bool follows = false;                                  // a client follows jobs
  std::function<bool(const ClientAnswer&)> is_follower;  // true if the answer goes to a follower
};

// Learns from this turn's changes and continues the forecasts by one slice. A run begins only when
// somebody needs figures. Returns true if the order in which waiting requests are laid out is up to
// date.
bool Forecast(ForecastLayer& f, Forecasts& forecasts, Turn& t, const Audience& audience);

// Adds bounds and expected starts to all jobs in this turn's answers.
void TellForecasts(const ForecastLayer& f, const Forecasts& forecasts, Turn& t);

}  // namespace muster::meta
