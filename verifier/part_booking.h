// How a part is booked, as its site tells it: from the site's record. protocol.md section 2.
#pragma once

#include <string>
#include <vector>

#include "schemas/hold.h"
#include "schemas/site_link.h"

namespace muster::verifier {

// Distinct nodes of a place in chunk order; the first one runs the command.
std::vector<std::string> NodesOf(const schemas::PartPlace& place);

// A part that runs on room that is lent to it has `lent`, whether it has a booking of its own or
// not.
schemas::PartBooking BookingOf(const schemas::PartRecord& part);

}  // namespace muster::verifier
