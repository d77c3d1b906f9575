// Coverage by user and day, and how sure it is.
#include "meta/forecast/model/coverage.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::forecast {
namespace {

TEST(Coverage, PoolsIntervalsAndCountsVoices) {
  const std::vector<Covered> voices = {{2, 2}, {1, 0}, {1, 1}};
  const Coverage coverage = CoverageOf(voices);
  EXPECT_EQ(coverage.voices, 3u);
  EXPECT_DOUBLE_EQ(coverage.ratio, 0.75);
  EXPECT_LE(coverage.low, coverage.ratio);
  EXPECT_GE(coverage.high, coverage.ratio);
}

TEST(Coverage, AFewGreatBurstsLeaveItUnsure) {
  std::vector<Covered> even;
  std::vector<Covered> bursts;
  for (size_t i = 0; i < 1000; ++i) even.push_back({1, i % 10 != 0 ? size_t{1} : 0});
  for (size_t i = 0; i < 10; ++i) bursts.push_back({100, i != 0 ? size_t{100} : 0});
  EXPECT_DOUBLE_EQ(CoverageOf(even).ratio, CoverageOf(bursts).ratio);
  EXPECT_NEAR(CoverageOf(even).low, 0.885, 0.006) << "1.64 standard deviations of 0.0095";
  EXPECT_NEAR(CoverageOf(even).high, 0.915, 0.006);
  EXPECT_LE(CoverageOf(bursts).low, 0.75);
  EXPECT_DOUBLE_EQ(CoverageOf(bursts).high, 1);
}

TEST(Coverage, OfNoIntervalsIsNone) {
  EXPECT_EQ(CoverageOf({}).voices, 0u);
  EXPECT_DOUBLE_EQ(CoverageOf({}).high, 0);
}

}  // namespace
}  // namespace muster::forecast
