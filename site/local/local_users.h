// Users of a site as its options list them.
#pragma once

#include <string>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "base/validities.h"
#include "site/options.h"

namespace muster::site {

// Null: nobody of this name.
const LocalUser* UserOf(const Options& options, const std::string& name);
bool IsOperator(const Options& options, const std::string& name);
// With the groups that the options list; of these, the ones that count now.
Member MemberOf(const Options& options, const std::string& user);
std::vector<std::string> GroupsNow(const Options& options, const std::string& user, Instant now);
// Of these starts, those at which something of the user's may start.
IntervalSet StartsOfUser(const Options& options, const std::string& user, const IntervalSet& starts,
                         Instant now);

}  // namespace muster::site
