// The time is cut where hours of another multiple begin or end; all is added up before the one
// division that rounds.
#include "policy/rates.h"

#include <algorithm>

#include "base/interval.h"

namespace muster::policy {
namespace {

__extension__ using Wide = __int128;

constexpr int64_t kUsual = 1000;  // thousandths: hours without another multiple
constexpr int64_t kHourMs = 3'600'000;
constexpr Wide kMostRate = int64_t{1} << 60;
// Thousandths of the rate, thousandths of the hours and millionths of `times`.
constexpr Wide kScale = Wide{1000} * kUsual * 1'000'000 * kHourMs;

// multiples * rate * times / kScale, rounded; a product that would not fit is beyond the most.
int64_t Price(Wide multiples, int64_t rate, int64_t times) {
  constexpr double kMost = 1e37;
  if (static_cast<double>(multiples) * static_cast<double>(rate) * static_cast<double>(times) >
      kMost) {
    return kMostCredits;
  }
  const Wide sum = multiples * rate * times;
  return static_cast<int64_t>(std::clamp<Wide>((sum + kScale / 2) / kScale, 0, kMostCredits));
}

// Sum over the milliseconds of [from, to) of the multiple of their hour, in thousandths.
Wide MultiplesOf(const BankRules& rules, const Zone& zone, Moment from, Moment to) {
  if (to <= from) return 0;
  Wide sum = 0;
  // What no hours before it have taken.
  std::vector<std::pair<Moment, Moment>> left{{from, to}};
  for (const Hours& hours : rules.hours) {
    const IntervalSet valid =
        Intervals(hours.valid, zone, from.Floor(), to.Floor() + Span{1}).intervals;
    std::vector<std::pair<Moment, Moment>> rest;
    for (const auto& [begin, end] : left) {
      Moment at = begin;
      for (const Interval& one : valid.intervals()) {
        const Moment first = std::max(at, ToMoment(one.begin));
        const Moment last = std::min(end, ToMoment(one.end));
        if (first >= last) continue;
        if (at < first) rest.push_back({at, first});
        sum += Wide{last.milliseconds - first.milliseconds} * hours.times;
        at = last;
      }
      if (at < end) rest.push_back({at, end});
    }
    left = std::move(rest);
  }
  for (const auto& [begin, end] : left) sum += Wide{end.milliseconds - begin.milliseconds} * kUsual;
  return sum;
}

}  // namespace

int64_t RateOf(const BankRules& rules, const ResourceSet& amounts) {
  Wide sum = 0;
  for (const Rate& rate : rules.rates) {
    sum += Wide{std::max<int64_t>(amounts.Get(rate.resource), 0)} * rate.per_hour * 1000 /
           std::max<int64_t>(rate.unit, 1);
  }
  return static_cast<int64_t>(std::min<Wide>(sum, kMostRate));
}

int64_t PriceOf(const BankRules& rules, const Zone& zone, const ResourceSet& amounts, int64_t times,
                Moment from, Moment to) {
  const int64_t rate = RateOf(rules, amounts);
  if (rate == 0 || times == 0) return 0;
  return Price(MultiplesOf(rules, zone, from, to), rate, times);
}

int64_t LeastPriceOf(const BankRules& rules, const ResourceSet& amounts, int64_t times,
                     Span length) {
  int64_t least = kUsual;
  for (const Hours& hours : rules.hours) least = std::min(least, hours.times);
  return Price(Wide{length.seconds} * 1000 * least, RateOf(rules, amounts), times);
}

}  // namespace muster::policy
