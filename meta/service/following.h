// Answers to `follow`, and what those who follow jobs or events are told from then on. protocol.md
// section 2b (follow).
#pragma once

#include "meta/forecast/forecasting.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnFollow(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Follow& follow);

// Whom forecasts are made for.
Audience AudienceOf(const ServiceLayer& f);
// Tells followers of what this turn changed.
void TellFollowers(ServiceLayer& f, Turn& t);
// Numbers and keeps what happened in this turn, and tells those who follow events.
void TellWatchers(ServiceLayer& f, Turn& t);
// Forgets followers that stopped keeping themselves alive.
void ForgetFollowers(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
