// Amounts over time against an array with a row per second.
#include "partitioner/steps.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/random.h"

namespace muster::partitioner::steps_test {
namespace {

constexpr int64_t kEnd = 60;

TEST(Steps, AgreeWithARowPerSecond) {
  Random random(11);
  for (int round = 0; round < 50; ++round) {
    Steps steps(Instant{-100}, {5, 0});
    std::vector<std::array<int64_t, 2>> rows(kEnd, {5, 0});
    int64_t forgotten = 0;
    for (int change = 0; change < 60; ++change) {
      const int64_t begin = random.Between(forgotten, kEnd - 2);
      const int64_t end = random.Between(begin, kEnd - 1);
      const std::vector<int64_t> amounts{random.Between(-2, 2), random.Between(-2, 2)};
      steps.Add(Instant{begin}, Instant{end}, amounts);
      for (int64_t t = begin; t < end; ++t) {
        for (size_t i = 0; i < 2; ++i) rows[static_cast<size_t>(t)][i] += amounts[i];
      }
      if (random.Chance(50)) {
        forgotten = random.Between(forgotten, kEnd - 2);
        steps.Forget(steps.After(Instant{forgotten}) - 1);
      }
      for (int64_t t = forgotten; t < kEnd; ++t) {
        const auto held = steps.at(steps.After(Instant{t}) - 1);
        for (size_t i = 0; i < 2; ++i) {
          ASSERT_EQ(held[i], rows[static_cast<size_t>(t)][i]) << "amount " << i << " at " << t;
        }
      }
      for (size_t i = 1; i < steps.size(); ++i) ASSERT_LT(steps.from(i - 1), steps.from(i));
    }
  }
}

TEST(Steps, WhatIsTakenBackLeavesNoStep) {
  Steps steps(Instant{0}, {8});
  steps.Add(Instant{10}, Instant{20}, {-3});
  steps.Add(Instant{15}, Instant{30}, {-2});
  EXPECT_EQ(steps.size(), 5);
  steps.Add(Instant{10}, Instant{20}, {3});
  EXPECT_EQ(steps.size(), 3);
  steps.Add(Instant{15}, Instant{30}, {2});
  EXPECT_EQ(steps.size(), 1);
  steps.Set(Instant{40}, {1});
  EXPECT_EQ(steps.at(steps.After(Instant{39}) - 1)[0], 8);
  EXPECT_EQ(steps.at(steps.After(Instant{40}) - 1)[0], 1);
  steps.Add(Instant{50}, Instant{50}, {1});
  EXPECT_EQ(steps.size(), 2) << "no time at all";
}

}  // namespace
}  // namespace muster::partitioner::steps_test
