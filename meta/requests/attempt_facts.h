// What an attempt is of, how long its permit may take, and what is known of its parts: read from
// records and mirrors, so that what was asked can be told without the commit protocol.
// protocol.md sections 3.2 and 4.
#pragma once

#include <vector>

#include "meta/requests/layer.h"

namespace muster::meta {

// What the attempt is of: while a place for an altered request is sought, the one it has is still
// of what it was.
const schemas::RequestSpec& SpecOf(const Request& request, const Attempt& attempt);

// How long after the start its permit may come: start_wait for several members, kMoveWait for one
// that leaves another site, else kSingleWait.
BootSpan PermitWait(const RequestsLayer& f, const Attempt& attempt);
// The same where it may come late at all: 0 for one that starts by itself, or runs. Booked after
// the duration.
Span WaitOf(const RequestsLayer& f, const Attempt& attempt);

// The part of a hold that has this index; null if it has none.
const schemas::MirrorPart* PartOf(const schemas::MirrorRecord& hold, uint32_t index);
// What is known of one of its parts, by its place; null if nothing is. The hold it is in, too.
const schemas::MirrorPart* PartAt(const RequestsLayer& f, const Attempt& attempt, size_t part,
                                  const schemas::MirrorRecord** hold_out = nullptr);

// How the parts of the attempt that bound the request last have ended, in part order; empty if none
// did.
std::vector<schemas::PartEnd> PartEndsOf(const RequestsLayer& f, const Request& request);

}  // namespace muster::meta
