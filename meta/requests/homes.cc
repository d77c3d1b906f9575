// The configuration names homes; an unknown user has none.
#include "meta/requests/homes.h"

#include <algorithm>

namespace muster::meta {

const policy::FairshareRules* BalanceRules(const RequestsLayer& f) {
  if (!f.options.home_first) return nullptr;
  const bool homes = std::any_of(f.users.begin(), f.users.end(),
                                 [](const auto& user) { return !user.second.home.empty(); });
  return homes ? &f.options.balance : nullptr;
}

std::set<std::string> BalancesOf(const RequestsLayer& f, const Request& request,
                                 const std::string& site) {
  const schemas::RequestSpec& spec = request.before() ? *request.before() : request.record().spec;
  const auto user = f.users.find(request.record().requester.user);
  if (spec.inside || user == f.users.end()) return {};
  const std::string& home = user->second.home;
  if (home.empty() || home == site) return {};
  return {GaveName(site), TookName(home)};
}

}  // namespace muster::meta
