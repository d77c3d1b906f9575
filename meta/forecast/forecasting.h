// Forecasts of starts: when a waiting request is bound to start if nobody else came, and when it
// will probably start given how long requests really run. The same plan that sites keep is run
// forward on the shadows. scheduling.md sections 5 (bound, expected) and 6.
#pragma once

#include <functional>

#include "meta/forecast/forecasts.h"
#include "meta/forecast/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Runs follow changes at most this often, and come at least as often as that while jobs are open.
inline constexpr BootSpan kForwardEvery = Milliseconds(250);
inline constexpr BootSpan kForecastEvery = Seconds(30);
// A run that needs more than one slice has one this often, so that it takes a tenth of the meta's
// time. Work in jobs looked at: 1 to 3 ms where it was measured, less than kRunSlice.
inline constexpr BootSpan kSliceEvery = Milliseconds(25);
inline constexpr size_t kFollowedWork = 10'000;
// Bounds are verified anew when more than this share of them, in percent, moved by more than
// kMoved.
inline constexpr size_t kMovedPercent = 5;
inline constexpr size_t kSliceWork = 50'000;
// Who asks is told what a run says that began afterwards, but waits for it no longer than that.
inline constexpr BootSpan kAnswerWait = Seconds(2);

// Who listens: what the room of the service knows of those who are told of jobs.
struct Audience {
  bool awaits_order = false;  // somebody waits to know in which order those who wait are laid out
  bool follows = false;       // somebody follows jobs
  std::function<bool(const ClientAnswer&)> is_follower;  // this answer goes to one who does
};

// Learns from what this turn changed, and goes on with the forecasts, a slice a turn; a run begins
// when somebody is told of jobs. True if the order in which those who wait are laid out is known.
bool Forecast(ForecastLayer& f, Forecasts& forecasts, Turn& t, const Audience& audience);

// Adds the bound and what is expected to all jobs in the answers that leave with this turn.
void TellForecasts(const ForecastLayer& f, const Forecasts& forecasts, Turn& t);

}  // namespace muster::meta
