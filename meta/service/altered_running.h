// Changes of what runs, told to its sites: more time, other counts of malleable chunks, and who may
// use a reservation. Orders like those of operators (steer): durable before they are said, said
// until they are answered. protocol.md section 2b, OpenCCS Sect. 6 (future work).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meta/service/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Tells the sites; the act of this number is answered when they have. A refusal otherwise.
std::optional<schemas::Refused> AlterRunning(ServiceLayer& f, Turn& t, uint64_t number,
                                             Request& request, const schemas::RequestSpec& next);
// Tells the site of a reservation to whom it is open.
void ShareReservation(ServiceLayer& f, Turn& t, const Request& request, const std::string& user);
// A site answered an order about what runs there, or about who may use a reservation.
void OnAlteredRunning(ServiceLayer& f, Turn& t, const schemas::Steer& steer,
                      const schemas::Steered& steered);

}  // namespace muster::meta
