// Amounts by window.
#include "policy/spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::policy::spread_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

FairshareRules Rules(int64_t window, int depth) { return {.window = Span{window}, .depth = depth}; }
Moment At(int64_t seconds) { return Moment{seconds * 1000}; }

TEST(ByWindow, SplitsEvenlyOverTheWindowsThatItSpansNewestFirst) {
  EXPECT_THAT(ByWindow(Rules(60, 5), {}, {At(90), At(150), 600}),
              ElementsAre(Pair(Instant{120}, 300), Pair(Instant{60}, 300)));
}

TEST(ByWindow, WhatLiesFurtherBackThanWindowsCountGoesIntoOne) {
  EXPECT_THAT(ByWindow(Rules(60, 1), {}, {At(0), At(150), 1500}),
              ElementsAre(Pair(Instant{120}, 300), Pair(Instant{60}, 1200)));
}

TEST(ByWindow, NothingIsLostByRounding) {
  int64_t sum = 0;
  for (const auto& [window, amount] : ByWindow(Rules(60, 9), {}, {At(7), At(400), 1'000'001})) {
    sum += amount;
  }
  EXPECT_EQ(sum, 1'000'001);
}

TEST(ByWindow, NothingHadIsNothing) {
  EXPECT_THAT(ByWindow(Rules(60, 5), {}, {At(90), At(150), 0}), IsEmpty());
}

TEST(Product, IsCutBeforeItOverflows) {
  EXPECT_EQ(Product(8, 5000), 40'000);
  EXPECT_EQ(Product(-8, 5000), 0);
  EXPECT_EQ(Product(INT64_MAX, INT64_MAX), int64_t{1} << 56);
}

}  // namespace
}  // namespace muster::policy::spread_test
