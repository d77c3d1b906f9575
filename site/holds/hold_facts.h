// What a hold's record says by itself, without a plan or a clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"
#include "schemas/site_records.h"
#include "verifier/planner.h"

namespace muster::site {

// The part of this index. REQUIRES: the hold has one.
const schemas::PartDemand& DemandOf(const schemas::HoldRecord& hold, uint32_t index);
schemas::PartRecord& PartOf(schemas::HoldRecord& hold, uint32_t index);
const schemas::PartRecord& PartOf(const schemas::HoldRecord& hold, uint32_t index);

// What a plan is asked for by an order.
verifier::Demand DemandOf(const schemas::HoldOrder& order);
// How others are told of a hold that is in their way, and of one of its parts: "42", of several
// "42.1".
std::string LabelOf(const schemas::HoldOrder& order);
std::string ShownAs(const schemas::HoldOrder& order, uint32_t index);

// The change that shows a hold as it is, and what it says of a part.
schemas::HoldChanged HoldChangedOf(const schemas::HoldRecord& hold);
schemas::PartBooking BookingOf(const schemas::PartRecord& part);

// How long the part may run: as ordered and what it was extended by.
Span RunTime(const schemas::HoldRecord& hold, uint32_t index);
// Sets of each of its chunks that it has now.
std::vector<uint64_t> CountsOf(const schemas::PartRecord& part, const schemas::PartDemand& demand);
// How long after its start the permit of a hold may still come without moving it: what it has
// booked for that (the tail); 0 of one that starts by itself.
Span PermitWait(const schemas::HoldRecord& hold);

bool WaitsToStart(schemas::PartState state);       // BOOKED or READY
bool OneMember(const schemas::HoldRecord& hold);   // no other site has a part of it
bool HasStarted(const schemas::HoldRecord& hold);  // a part is STARTING or beyond
bool AllEnded(const schemas::HoldRecord& hold);
bool IsLive(const schemas::HoldRecord& hold);
bool Reserves(const schemas::HoldRecord& hold);    // it starts nothing: others are inside of it
bool IsStopping(const schemas::HoldRecord& hold);  // H13: released, processes not gone yet

}  // namespace muster::site
