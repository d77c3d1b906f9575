// Bisection for the largest value that starts early enough, compared with a check of every value.
#include "site/queries/number_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace muster::site {
namespace {

constexpr int64_t kSteps[] = {1, 2, 5, 10};

TEST(ValuesBelow, AreTheLeastAndMultiplesOfTheFirstStepThatMakesThemFew) {
  EXPECT_EQ(ValuesBelow(5, 1, kSteps), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(ValuesBelow(1, 1, kSteps), std::vector<int64_t>{});
  EXPECT_EQ(ValuesBelow(2, 1, kSteps), std::vector<int64_t>{1});
  for (const int64_t asked : {255, 256, 257, 258, 512, 513, 5000, 100000, 1 << 30}) {
    const std::vector<int64_t> values = ValuesBelow(asked, 1, kSteps);
    EXPECT_LE(values.size(), kNumberValues) << asked;
    EXPECT_GE(values.size(), 100u) << asked;
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    EXPECT_EQ(values.front(), 1);
    EXPECT_LT(values.back(), asked);
  }
}

TEST(NumberSearch, FindsTheLargestOfAllForTwoAnswersWithinItsVerdicts) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<int64_t> values = ValuesBelow(random.Between(2, 5000), 1, kSteps);
    std::map<int64_t, std::optional<Instant>> starts;
    Instant start{random.Between(0, 50)};
    bool never = false;
    for (const int64_t value : values) {
      if (random.Between(0, 30) == 0) start = start + Span{random.Between(1, 500)};
      never = never || random.Between(0, 400) == 0;
      starts[value] = never ? std::nullopt : std::optional(start);
    }
    NumberSearch search(values, [&](int64_t value) { return starts.at(value); });
    for (const Instant latest : {Instant{random.Between(0, 2000)}, Instant{60}}) {
      std::optional<int64_t> expected;
      for (const auto& [value, at] : starts) {
        if (at && *at <= latest) expected = value;
      }
      const auto found = search.Largest(latest);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (!found) continue;
      EXPECT_EQ(found->value, *expected);
      EXPECT_EQ(found->start, starts.at(*expected));
    }
    EXPECT_LE(search.verdicts(), kNumberVerdicts);
  }
}

// With fragmentation a request for fewer nodes may start later.
TEST(NumberSearch, WhatItFindsStartsEarlyEnoughThoughStartsDoNotRiseWithTheValue) {
  NumberSearch search(ValuesBelow(200, 1, kSteps),
                      [](int64_t value) { return Instant{value % 7 == 3 ? 900 : value}; });
  const auto found = search.Largest(Instant{100});
  ASSERT_TRUE(found.has_value());
  EXPECT_LE(found->start, Instant{100});
}

}  // namespace
}  // namespace muster::site
