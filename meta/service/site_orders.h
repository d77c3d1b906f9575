// Orders to sites, of operators and of users who alter what runs: durable before they are said,
// said until the site's feed answers. protocol.md section 2b (steer).
#pragma once

#include <cstdint>
#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// An order to a site, durable with this turn, said until its feed answers; its number.
uint64_t GiveSteer(ServiceLayer& f, Turn& t, const std::string& site, schemas::Steer steer);
// Says orders again that a site has not answered; called when it comes up, and with its heartbeats.
void RepeatSteers(ServiceLayer& f, Turn& t, Site& site);

}  // namespace muster::meta
