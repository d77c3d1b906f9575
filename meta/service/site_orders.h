// Orders to sites, given by operators and by users who alter running jobs: durable before they are
// sent, repeated until the site's feed answers. protocol.md section 2b (steer).
#pragma once

#include <cstdint>
#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Gives an order to a site: durable with this turn, repeated until the site's feed answers it.
// Returns its number.
uint64_t GiveSteer(ServiceLayer& f, Turn& t, const std::string& site, schemas::Steer steer);
// Repeats the orders that this site has not answered.
void RepeatSteers(ServiceLayer& f, Turn& t, Site& site);

}  // namespace muster::meta
