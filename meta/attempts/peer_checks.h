// Checks for nonsense: whatever a site says is compared with what the meta knows before it has any
// effect. A site is believed about its own holds and about nothing else. protocol.md sections 2
// (the receiver checks), 3.4 (nonsense) and 12 (a lying site).
#pragma once

#include "base/status.h"
#include "meta/attempts/layer.h"

namespace muster::meta {

// Amounts are not negative and their sums do not overflow, steps ascend, spans are possible for a
// driver.
absl::Status CheckCapacity(const schemas::Capacity& capacity);

// Revisions have no gap. Changes concern only holds that this site was asked for, and its own
// parts. States of a hold go forward in the table of section 3.1. A hold is granted at an allowed
// start.
absl::Status CheckReport(const AttemptsLayer& f, const Site& site, const schemas::Report& report);

// A page of a listing: the same rules, and its holds are complete.
absl::Status CheckListing(const AttemptsLayer& f, const Site& site, const schemas::Listing& page);

// An answer to an order on a hold of `attempt`: it comes from a member, and its counter can be
// true.
absl::Status CheckAnswer(const Site& site, const Attempt& attempt, const schemas::Answer& answer,
                         Instant now);

}  // namespace muster::meta
