// See local_users.h.
#include "site/local/local_users.h"

#include <algorithm>

namespace muster::site {

const LocalUser* UserOf(const Options& options, const std::string& name) {
  const auto it = std::find_if(options.users.begin(), options.users.end(),
                               [&](const LocalUser& user) { return user.name == name; });
  return it == options.users.end() ? nullptr : &*it;
}

bool IsOperator(const Options& options, const std::string& name) {
  const LocalUser* user = UserOf(options, name);
  return user != nullptr && user->is_operator;
}

Member MemberOf(const Options& options, const std::string& user) {
  const LocalUser* listed = UserOf(options, user);
  return {user, listed == nullptr ? std::vector<std::string>{} : listed->groups};
}

std::vector<std::string> GroupsNow(const Options& options, const std::string& user, Instant now) {
  return GroupsAt(options.validities, MemberOf(options, user), now);
}

IntervalSet StartsOfUser(const Options& options, const std::string& user, const IntervalSet& starts,
                         Instant now) {
  const Validities& all = options.validities;
  if (starts.empty() || (all.users.empty() && all.groups.empty())) return starts;
  return StartsOf(all, MemberOf(options, user), starts, now);
}

}  // namespace muster::site
