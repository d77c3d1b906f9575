// Compared before rounding.
#include "policy/balance.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "policy/fading.h"

namespace muster::policy {
namespace {

constexpr std::string_view kLendsBeyond = "lends-beyond:";

}  // namespace

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

std::string LendsBeyond(int percent) {
  return std::string(kLendsBeyond) + std::to_string(percent) + "%";
}

std::optional<int> LendsBeyond(const std::vector<std::string>& capabilities) {
  for (const std::string& word : capabilities) {
    if (word.rfind(kLendsBeyond, 0) != 0) continue;
    int percent = 0;
    const char* const digits = word.data() + kLendsBeyond.size();
    const auto [end, error] = std::from_chars(digits, word.data() + word.size(), percent);
    if (error == std::errc() && std::string_view(end) == "%") return percent;
  }
  return std::nullopt;
}

}  // namespace muster::policy
