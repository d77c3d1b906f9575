// What a part shows of its hold and of itself: the later of the two. protocol.md section 3.5.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/hold.h"
#include "schemas/request.h"
#include "schemas/site_link.h"
#include "schemas/views.h"

namespace muster::verifier {

schemas::PartShown ShownOf(schemas::HoldState hold);
// BOOKED has no word of its own: the hold's counts.
schemas::PartShown ShownOf(schemas::PartState part);

// How a running part differs from what was ordered: "may run 6m longer", "has 3+1 sets"; empty if
// it does not.
std::string ChangedWhileRunning(const schemas::PartBooking& booking);
// The chunks with the sets a resized part has; as ordered if `counts` says nothing of them.
std::vector<schemas::Chunk> ChunksNow(std::vector<schemas::Chunk> chunks,
                                      const std::vector<uint64_t>& counts);

// The word before its end that a job gets; none if it gets none.
std::optional<schemas::EndNotice> EndNoticeShown(const schemas::RequestSpec& spec);

}  // namespace muster::verifier
