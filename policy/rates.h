// What work costs: credits an hour by resource, by hour of the day, QoS and site. Maui Sect. III
// (Allocation Manager Interface); scheduling.md section 14. Integers only; pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/resources.h"
#include "base/time.h"
#include "base/validity.h"

namespace muster::policy {

// Credits are counted in millionths, everywhere.
inline constexpr int64_t kCredit = 1'000'000;
// No price, balance or rate is larger, so that sums of some thousand of them stay in range.
inline constexpr int64_t kMostCredits = 1'000'000'000 * kCredit;

struct Rate {
  std::string resource;
  int64_t per_hour = 0;  // millionths of a credit, for each `unit` of it
  int64_t unit = 1;      // "mem/gb": 2^30 bytes
  bool operator==(const Rate&) const = default;
};
// Hours in which work costs another multiple, in thousandths.
struct Hours {
  Validity valid;
  int64_t times = 1000;
  bool operator==(const Hours&) const = default;
};
struct BankRules {
  std::vector<Rate> rates;
  std::vector<Hours> hours;  // of several that hold at one time the first counts
  bool operator==(const BankRules&) const = default;
};

// The rates of these amounts together, in thousandths of a millionth of a credit an hour.
int64_t RateOf(const BankRules& rules, const ResourceSet& amounts);

// What the amounts cost from `from` to `to`, in millionths of a credit, rounded half up once;
// `times`: the multiples of the QoS and the site, in millionths. At most kMostCredits.
int64_t PriceOf(const BankRules& rules, const Zone& zone, const ResourceSet& amounts, int64_t times,
                Moment from, Moment to);
// The least that they cost over this time, whatever the hour.
int64_t LeastPriceOf(const BankRules& rules, const ResourceSet& amounts, int64_t times,
                     Span length);

}  // namespace muster::policy
