// Compared before rounding.
#include "policy/balance.h"

#include <algorithm>

#include "policy/fading.h"

namespace muster::policy {

int64_t AmountOf(const FairshareRules& rules, const Use& use) {
  return static_cast<int64_t>(FadedWithBooked(rules, use) / kMillion);
}

int64_t BalanceOf(const FairshareRules& rules, const Use& given, const Use& taken,
                  int64_t processors) {
  constexpr int64_t kWhole = 1000;
  const Wide window = Wide{processors} * rules.window.seconds * 1000 * kMillion;
  if (window <= 0) return 0;
  const Wide difference = FadedWithBooked(rules, given) - FadedWithBooked(rules, taken);
  return static_cast<int64_t>(std::clamp<Wide>(difference * kWhole / window, -kWhole, kWhole));
}

}  // namespace muster::policy
