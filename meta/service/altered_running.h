// Alters running jobs and open reservations through their sites: more time, other counts of
// malleable chunks, and who may use a reservation. As with operators' orders (steer), an order is
// durable before it is sent, and is repeated until it is answered. protocol.md section 2b, OpenCCS
// Sect. 6 (future work).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Orders the sites to make the change. The alteration of this number is answered when they have
// answered. Returns a refusal if the change is not possible, or a site of the request is not up.
std::optional<schemas::Refused> AlterRunning(ServiceLayer& f, Turn& t, uint64_t number,
                                             Request& request, const schemas::RequestSpec& next);
// Orders the sites of a reservation to admit the users whom its record names; `user` gave the
// order.
void ShareReservation(ServiceLayer& f, Turn& t, const Request& request, const std::string& user);
// Handles a site's answer to an order about a running part or about the users of a reservation.
void OnAlteredRunning(ServiceLayer& f, Turn& t, const schemas::Steer& steer,
                      const schemas::Steered& steered);

}  // namespace muster::meta
