// What users see of a part. The state shown is its hold's or its own, whichever is later.
// protocol.md section 3.5.
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
// BOOKED has no display state; callers show the hold's instead.
schemas::PartShown ShownOf(schemas::PartState part);

// How a running part differs from its order: "may run 6m longer", "has 3+1 sets"; empty if there
// is no difference.
std::string ChangedWhileRunning(const schemas::PartBooking& booking);
// The chunks of a part with its present counts; unchanged if `counts` is empty (never resized).
std::vector<schemas::Chunk> ChunksNow(std::vector<schemas::Chunk> chunks,
                                      const std::vector<uint64_t>& counts);

// Shows the part's node set, the group of it that the nodes are, and what their speed makes of its
// duration, as PartPlace has them.
void ShowSet(const std::string& set, Span slower, const std::string& group,
             schemas::PartView& part);

// Shows the part's loan, and how often it was recalled.
void ShowLent(const schemas::PartBooking& booking, schemas::PartView& part);
// Under which terms the job may be lent room, if under any.
std::optional<schemas::ContractView> ContractShown(const schemas::RequestSpec& spec);

// The notice before the end that a job gets, if any.
std::optional<schemas::EndNotice> EndNoticeShown(const schemas::RequestSpec& spec);

}  // namespace muster::verifier
