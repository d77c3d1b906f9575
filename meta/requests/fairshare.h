// What each share has had and is promised: ended parts from the record, running ones up to now from
// the sites' feeds, promised ones from the attempts that bind. Maui Sect. III (Fairshare);
// scheduling.md section 12.
#pragma once

#include <string>
#include <vector>

#include "base/credentials.h"
#include "meta/requests/layer.h"
#include "policy/shares_now.h"

namespace muster::meta {

// REQUIRES: f.options.fairshare.
policy::Uses UsesAt(const RequestsLayer& f, Moment now);
// Empty without [[share]].
SharesNow SharesAt(const RequestsLayer& f, Moment now);
// The share that counts for a request with these credentials: the user's own, else that of its
// account, else of the groups' the one with the least value; null without one. `who` is set to its
// name.
const policy::Standing* ShareOf(const SharesNow& shares, const Credentials& asker,
                                std::string* who);

// Judges the ceilings that date new work, once a second of plan time. Called at the begin of each
// turn.
// Returns true if somebody who was barred may start earlier now.
bool JudgeCeilings(RequestsLayer& f, Moment now);
// Whether a ceiling may date new work like this request, now or later.
bool MayBeDated(const RequestsLayer& f, const Request& request, Moment now);
// Why a request with these credentials that was never promised a start may not start yet, and until
// when; none: it may.
std::optional<schemas::Reason> WhyNotAdmitted(const RequestsLayer& f, const Credentials& who);

}  // namespace muster::meta
