// Products go through 128 bits.
#include "policy/spread.h"

#include <algorithm>

namespace muster::policy {
namespace {

__extension__ using Long = __int128;
constexpr int64_t kMost = int64_t{1} << 56;

}  // namespace

int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::min<Long>(Long{std::max<int64_t>(a, 0)} * b, kMost));
}

std::vector<std::pair<Instant, int64_t>> ByWindow(const FairshareRules& rules, const Zone& zone,
                                                  const Had& had) {
  std::vector<std::pair<Instant, int64_t>> out;
  const int64_t length = had.to.milliseconds - had.from.milliseconds;
  Instant window = WindowOf(rules, zone, had.to.Floor());
  int64_t left = had.amount;
  for (int k = 0; k < rules.depth && length > 0 && ToMoment(window) > had.from; ++k) {
    const int64_t before = ToMoment(window).milliseconds - had.from.milliseconds;
    const auto earlier = static_cast<int64_t>(Long{had.amount} * before / length);
    if (left > earlier) out.emplace_back(window, left - earlier);
    left = earlier;
    window = WindowOf(rules, zone, window - Span{1});
  }
  if (left > 0) out.emplace_back(window, left);
  return out;
}

}  // namespace muster::policy
