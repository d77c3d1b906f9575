// Whose home a site is: that of the users for whom meta.toml says so. Their requests go first
// there. scheduling.md sections 1 (R5) and 16.
#pragma once

#include <set>
#include <string>

#include "meta/requests/layer.h"

namespace muster::meta {

inline bool IsHome(const RequestsLayer& f, const std::string& user, const std::string& site) {
  const auto it = f.users.find(user);
  return it != f.users.end() && !site.empty() && it->second.home == site;
}

// Whether the site moves the user's bookings earlier before those of others that are as urgent.
inline bool GoesFirstAt(const RequestsLayer& f, const std::string& user, const std::string& site) {
  return f.options.home_first && IsHome(f, user, site);
}

// Windows on record of what a site gave users of other homes, and of what its own took elsewhere.
inline std::string GaveName(const std::string& site) { return "site " + site + " gave"; }
inline std::string TookName(const std::string& site) { return "site " + site + " took"; }

// How balances are counted: in the windows of [fairshare], else of a day, seven of them. Null: they
// are not, since [scheduler] home_first is off or nobody has a home.
const policy::FairshareRules* BalanceRules(const RequestsLayer& f);

// What a part of the request at this site counts for: what the site gave, and what the user's home
// took. Nothing at home, without a home, and inside of a reservation, which counts itself.
std::set<std::string> BalancesOf(const RequestsLayer& f, const Request& request,
                                 const std::string& site);

}  // namespace muster::meta
