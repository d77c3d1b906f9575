// Answers `follow`, and sends later changes to the followers of jobs and of events. protocol.md
// section 2b (follow).
#pragma once

#include "meta/forecast/forecasting.h"
#include "meta/service/asker.h"
#include "meta/service/layer.h"

namespace muster::meta {

void OnFollow(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Follow& follow);

// The facts that forecasts need about their clients.
Audience AudienceOf(const ServiceLayer& f);
// Sends followers the jobs that this turn changed.
void TellFollowers(ServiceLayer& f, Turn& t);
// Numbers and keeps the events of this turn, and sends them to those who follow events.
void TellWatchers(ServiceLayer& f, Turn& t);
// Removes followers that have not renewed themselves.
void ForgetFollowers(ServiceLayer& f, Turn& t);

}  // namespace muster::meta
