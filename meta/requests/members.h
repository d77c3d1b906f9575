// Users of the federation with their groups, and when they are valid (OpenCCS Sect. 3, Validity;
// cli.md section 5).
#pragma once

#include <string>
#include <vector>

#include "base/interval.h"
#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// Groups as the configuration lists them; a user who is no longer listed is in no group.
Member MemberOf(const RequestsLayer& f, const std::string& user);

// The user's groups that are valid now.
std::vector<std::string> GroupsNow(const RequestsLayer& f, const std::string& user, Moment now);

// Refuses a user who may not submit or ask now.
verifier::Fault CheckCounts(const RequestsLayer& f, const std::string& user, Moment now);

// Those of `starts` at which the user's requests may start.
IntervalSet StartsOfUser(const RequestsLayer& f, const std::string& user, const IntervalSet& starts,
                         Moment now);

// When the user is valid, as a reason for a request without a start; none if the user always is.
std::optional<schemas::Reason> WhyNotCounted(const RequestsLayer& f, const std::string& user);

}  // namespace muster::meta
