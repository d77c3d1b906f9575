// Sums go through 128 bits, so that no amount overflows.
#include "policy/fading.h"

#include <algorithm>

namespace muster::policy {

Wide Faded(const FairshareRules& rules, const std::vector<int64_t>& by_window) {
  Wide sum = 0;
  Wide weight = kMillion;
  const size_t depth = static_cast<size_t>(std::max(rules.depth, 1));
  for (size_t k = 0; k < std::min(by_window.size(), depth); ++k) {
    sum += weight * by_window[k];
    weight = weight * rules.decay / 1000;
  }
  return sum;
}

Wide FadedWithBooked(const FairshareRules& rules, const Use& use) {
  return Faded(rules, use.by_window) + Wide{use.booked} * rules.booked * (kMillion / 1000);
}

}  // namespace muster::policy
