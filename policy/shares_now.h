// How the shares stand at one time, and which of them is somebody's. scheduling.md section 12.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/credentials.h"
#include "policy/shares.h"

namespace muster::policy {

using SharesNow = std::map<std::string, Standing>;  // by who

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

// Of these the one with the least value; the end if there is none.
template <class Shares, class Value>
typename Shares::const_iterator LeastOf(const Shares& shares, const Credentials& asker,
                                        Value value_of) {
  auto least = shares.end();
  if (shares.empty()) return least;
  for (const auto& it : SharesIn(shares, asker)) {
    if (least == shares.end() || value_of(it->second) < value_of(least->second)) least = it;
  }
  return least;
}
inline SharesNow::const_iterator ShareOf(const SharesNow& shares, const Credentials& asker) {
  return LeastOf(shares, asker, [](const Standing& standing) { return standing.value; });
}

}  // namespace muster::policy
