// Prices over hours, by hand. Maui Sect. III (Allocation Manager Interface).
#include "policy/rates.h"

#include <gtest/gtest.h>

#include "base/text/validity.h"

namespace muster::policy {
namespace {

constexpr int64_t kOnce = 1'000'000;  // `times`
constexpr Instant kDay{86'400 * 20'000};

Moment At(int hour, int minute = 0, int second = 0) {
  return ToMoment(kDay + Span{hour * 3600 + minute * 60 + second});
}

Hours From(const std::string& text, int64_t times) {
  return {.valid = *text::ParseValidity(text), .times = times};
}

// A credit an hour for a processor; at night half.
BankRules Night() {
  return {.rates = {{"ncpus", kCredit, 1}}, .hours = {From("cron 0 20 * * * for 12h", 500)}};
}

TEST(Rates, APriceCountsEachHourAtItsMultiple) {
  const ResourceSet eight{{"ncpus", 8}};
  const BankRules rules = Night();
  // From 19:30 for 90 minutes under a QoS of twice the price: 8 + 8.
  EXPECT_EQ(PriceOf(rules, {}, eight, 2 * kOnce, At(19, 30), At(21)), 16 * kCredit);
  // It ran for 40 minutes: 8 + 1.333333.
  EXPECT_EQ(PriceOf(rules, {}, eight, 2 * kOnce, At(19, 30), At(20, 10)), 9'333'333);
}

TEST(Rates, HalfAMillionthIsRoundedUpOnceForAll) {
  const BankRules rules{.rates = {{"ncpus", 1, 1}, {"ngpus", 1, 1}}};
  const ResourceSet both{{"ncpus", 1}, {"ngpus", 1}};
  EXPECT_EQ(PriceOf(rules, {}, both, kOnce, At(1), At(1, 15)), 1) << "0.25 + 0.25 is 0.5";
  EXPECT_EQ(PriceOf(rules, {}, both, kOnce, At(1), At(1, 14, 59)), 0);
}

TEST(Rates, MemoryIsPaidByItsUnit) {
  const BankRules rules{.rates = {{"mem", kCredit / 20, int64_t{1} << 30}}};
  EXPECT_EQ(PriceOf(rules, {}, {{"mem", int64_t{3} << 29}}, kOnce, At(1), At(3)), 150'000);
}

TEST(Rates, OfHoursThatHoldAtOneTimeTheFirstCounts) {
  BankRules rules = Night();
  rules.hours.insert(rules.hours.begin(), From("cron 0 23 * * * for 2h", 0));
  // From 22 to 2 o'clock: an hour at half, two for nothing, one at half.
  EXPECT_EQ(PriceOf(rules, {}, {{"ncpus", 1}}, kOnce, At(22), At(26)), kCredit);
}

TEST(Rates, NoTimeNothingAndAFreeQosCostNothing) {
  EXPECT_EQ(PriceOf(Night(), {}, {{"ncpus", 8}}, kOnce, At(20), At(20)), 0);
  EXPECT_EQ(PriceOf(Night(), {}, {{"ncpus", 8}}, kOnce, At(20), At(19)), 0);
  EXPECT_EQ(PriceOf(Night(), {}, {{"ngpus", 8}}, kOnce, At(19), At(20)), 0);
  EXPECT_EQ(PriceOf(Night(), {}, {{"ncpus", 8}}, 0, At(19), At(20)), 0);
}

TEST(Rates, NothingCostsMoreThanTheMost) {
  const BankRules rules{.rates = {{"ncpus", kMostCredits, 1}}};
  const ResourceSet many{{"ncpus", int64_t{1} << 50}};
  EXPECT_EQ(PriceOf(rules, {}, many, 1000 * kOnce, At(0), At(9999)), kMostCredits);
}

TEST(Rates, TheLeastPriceIsThatOfTheCheapestHours) {
  const ResourceSet eight{{"ncpus", 8}};
  EXPECT_EQ(LeastPriceOf(Night(), eight, kOnce, Span{3600}), 4 * kCredit);
  for (int hour = 0; hour < 24; ++hour) {
    EXPECT_LE(LeastPriceOf(Night(), eight, kOnce, Span{5400}),
              PriceOf(Night(), {}, eight, kOnce, At(hour), At(hour + 1, 30)));
  }
}

}  // namespace
}  // namespace muster::policy
