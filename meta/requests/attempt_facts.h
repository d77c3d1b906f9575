// Facts about an attempt, read from records and mirrors without the commit protocol: its
// specification, how long its permit may take, and the state of its parts. protocol.md sections 3.2
// and 4.
#pragma once

#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// Specification that the attempt is for. While a place for an altered request is sought, its
// present attempt is for the specification from before.
const schemas::RequestSpec& SpecOf(const Request& request, const Attempt& attempt);

// How long after the start the permit may come: start_wait for several members, kMoveWait for a
// single member that leaves another site, else kSingleWait.
BootSpan PermitWait(const RequestsLayer& f, const Attempt& attempt);
// The tail, which is booked after the duration: PermitWait for an attempt whose permit may come
// after its start; 0 for one that runs, starts by itself, or left another place and is permitted.
Span WaitOf(const RequestsLayer& f, const Attempt& attempt);

// What a part has once it was resized to these counts of its chunks; as it was asked for without.
ResourceSet AmountsOf(const schemas::PartSpec& part, const std::vector<uint64_t>& counts);

// The part of the hold with this index; null if there is none.
const schemas::MirrorPart* PartOf(const schemas::MirrorRecord& hold, uint32_t index);
// The mirror's facts about the part at this position, and about its hold (`hold_out`); null if the
// mirror has none.
const schemas::MirrorPart* PartAt(const RequestsLayer& f, const Attempt& attempt, size_t part,
                                  const schemas::MirrorRecord** hold_out = nullptr);

// How the parts of the attempt that last bound the request have ended, in part order; empty if no
// attempt did.
std::vector<schemas::PartEnd> PartEndsOf(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
