// Turns the tables of base/validities.h into reasons and refusals.
#include "meta/requests/members.h"

namespace muster::meta {

Member MemberOf(const RequestsLayer& f, const std::string& user) {
  const auto it = f.users.find(user);
  return {user, it == f.users.end() ? std::vector<std::string>{} : it->second.groups};
}

std::vector<std::string> GroupsNow(const RequestsLayer& f, const std::string& user, Moment now) {
  return GroupsAt(f.options.validities, MemberOf(f, user), now.Floor());
}

verifier::Fault CheckCounts(const RequestsLayer& f, const std::string& user, Moment now) {
  return verifier::CheckCounts(f.options.validities, MemberOf(f, user), now);
}

IntervalSet StartsOfUser(const RequestsLayer& f, const std::string& user, const IntervalSet& starts,
                         Moment now) {
  const Validities& all = f.options.validities;
  if (starts.empty() || (all.users.empty() && all.groups.empty())) return starts;
  return StartsOf(all, MemberOf(f, user), starts, now.Floor());
}

std::optional<schemas::Reason> WhyNotCounted(const RequestsLayer& f, const std::string& user) {
  const std::string when = WhenText(f.options.validities, MemberOf(f, user));
  if (when.empty()) return std::nullopt;
  return schemas::Reason{.code = schemas::ReasonCode::kPolicy, .text = when};
}

}  // namespace muster::meta
