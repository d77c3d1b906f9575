// The site's own users as its options list them.
#pragma once

#include <string>
#include <vector>

#include "base/interval.h"
#include "base/time.h"
#include "base/validities.h"
#include "site/options.h"

namespace muster::site {

// Null: there is no user of this name.
const LocalUser* UserOf(const Options& options, const std::string& name);
bool IsOperator(const Options& options, const std::string& name);
// MemberOf has all groups that the options list for the user; GroupsNow only those valid now.
Member MemberOf(const Options& options, const std::string& user);
std::vector<std::string> GroupsNow(const Options& options, const std::string& user, Instant now);
// The subset of `starts` at which the validities let the user start something.
IntervalSet StartsOfUser(const Options& options, const std::string& user, const IntervalSet& starts,
                         Instant now);

}  // namespace muster::site
