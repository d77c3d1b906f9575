// Users of the federation with their groups, and when they count (OpenCCS Sect. 3, Validity;
// cli.md section 5).
#pragma once

#include <string>
#include <vector>

#include "base/interval.h"
#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// As the file lists them; whoever is not listed any more is in no group.
Member MemberOf(const RequestsLayer& f, const std::string& user);

// The groups that count now.
std::vector<std::string> GroupsNow(const RequestsLayer& f, const std::string& user, Moment now);

// Whether they may submit or ask now.
verifier::Fault CheckCounts(const RequestsLayer& f, const std::string& user, Moment now);

// Those of `starts` at which something of theirs may start.
IntervalSet StartsOfUser(const RequestsLayer& f, const std::string& user, const IntervalSet& starts,
                         Moment now);

// Why a request of theirs has no start; none if that is not the cause.
std::optional<schemas::Reason> WhyNotCounted(const RequestsLayer& f, const std::string& user);

}  // namespace muster::meta
