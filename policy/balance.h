// The balance of a site of a federation: what it gave users of other homes less what its own users
// took elsewhere. scheduling.md section 16. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/shares.h"

namespace muster::policy {

// What has faded of a use, with what is booked, in its unit, rounded down.
int64_t AmountOf(const FairshareRules& rules, const Use& use);

// (given - taken) / what the site has in one window, in thousandths, -1000 to 1000. `processors`:
// of all its nodes; 0 gives 0. `given`, `taken`: processor-milliseconds.
int64_t BalanceOf(const FairshareRules& rules, const Use& given, const Use& taken,
                  int64_t processors);

// How a site says, among its capabilities, that users of other homes get lent room alone once its
// balance is above so many percent of what it has in one window: "lends-beyond:5%".
std::string LendsBeyond(int percent);
// What it says of that, in percent; none: it says nothing of it.
std::optional<int> LendsBeyond(const std::vector<std::string>& capabilities);

}  // namespace muster::policy
