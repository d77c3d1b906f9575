// How the shares stand at one time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/credentials.h"
#include "policy/shares.h"

namespace muster::meta {

using SharesNow = std::map<std::string, policy::Standing>;  // by who

// The shares of somebody with these credentials, of `shares`, a map by who: the user's own, else
// that of the account, else those of the groups.
template <class Shares>
std::vector<typename Shares::const_iterator> SharesIn(const Shares& shares,
                                                      const Credentials& asker) {
  for (const std::string& own : {asker.user, "account " + asker.account}) {
    const auto it = shares.find(own);
    if (it != shares.end()) return {it};
  }
  std::vector<typename Shares::const_iterator> out;
  for (const std::string& group : asker.groups) {
    const auto it = shares.find("@" + group);
    if (it != shares.end()) out.push_back(it);
  }
  return out;
}

}  // namespace muster::meta
