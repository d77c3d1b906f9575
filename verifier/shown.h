// What a part shows of its hold and of itself: the later of the two. protocol.md section 3.5.
#pragma once

#include "schemas/hold.h"
#include "schemas/views.h"

namespace muster::verifier {

schemas::PartShown ShownOf(schemas::HoldState hold);
// BOOKED has no word of its own: the hold's counts.
schemas::PartShown ShownOf(schemas::PartState part);

}  // namespace muster::verifier
