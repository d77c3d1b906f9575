// What only nonsense can be: each thing a site may say, held against what the meta knows, before
// anything follows from it. A site is believed about its own holds and about nothing else.
// protocol.md sections 2 (the receiver checks), 3.4 (nonsense) and 12 (a lying site).
#pragma once

#include "base/status.h"
#include "meta/attempts/layer.h"

namespace muster::meta {

// Amounts neither negative nor beyond what adds up, steps in order, spans a driver can have.
absl::Status CheckCapacity(const schemas::Capacity& capacity);

// Revisions without a gap; changes only of holds this site was asked for, of its own parts, forward
// in the table of section 3.1, and first granted at a start that was allowed.
absl::Status CheckReport(const AttemptsLayer& f, const Site& site, const schemas::Report& report);

// A page of a listing: as above, and holds that are whole.
absl::Status CheckListing(const AttemptsLayer& f, const Site& site, const schemas::Listing& page);

// An answer to an order on a hold of `attempt`: by a member, with a counter that can be true.
absl::Status CheckAnswer(const Site& site, const Attempt& attempt, const schemas::Answer& answer,
                         Instant now);

}  // namespace muster::meta
