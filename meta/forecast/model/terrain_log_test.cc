// What is known of the past of a site, as it says something new.
#include "meta/forecast/model/terrain_log.h"

#include <gtest/gtest.h>

#include <utility>

namespace muster::forecast {
namespace {

using Steps = std::vector<Backfilling::Step>;

Backfilling::Step At(int64_t second, std::vector<int64_t> free) {
  return {Instant{second}, std::move(free)};
}

std::vector<std::pair<int64_t, int64_t>> Said(const TerrainLog& log) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const Backfilling::Step& step : log.steps())
    out.emplace_back(step.from.seconds, step.free[0]);
  return out;
}

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

TEST(TerrainLog, WhatIsSaidLaterReplacesWhatWasSaidAboutTimesFromThenOn) {
  TerrainLog log;
  log.Take(Instant{100}, Steps{At(0, {8}), At(200, {4}), At(300, {8})});
  EXPECT_EQ(Said(log), (Pairs{{100, 8}, {200, 4}, {300, 8}}));
  // The local job that was booked from 200 to 300 ended at 250.
  log.Take(Instant{250}, Steps{At(240, {8})});
  EXPECT_EQ(Said(log), (Pairs{{100, 8}, {200, 4}, {250, 8}}));
}

TEST(TerrainLog, OfStepsThatHaveBegunTheLastOneHolds) {
  TerrainLog log;
  log.Take(Instant{100}, Steps{At(0, {8}), At(50, {6}), At(100, {5}), At(200, {8})});
  EXPECT_EQ(Said(log), (Pairs{{100, 5}, {200, 8}}));
}

TEST(TerrainLog, StepsThatChangeNothingAreNotKept) {
  TerrainLog log;
  log.Take(Instant{100}, Steps{At(0, {8})});
  log.Take(Instant{200}, Steps{At(0, {8}), At(300, {8})});
  EXPECT_EQ(Said(log), (Pairs{{100, 8}}));
}

TEST(TerrainLog, ForgettingKeepsWhatHoldsAtThatTime) {
  TerrainLog log;
  log.Take(Instant{100}, Steps{At(100, {8}), At(200, {4}), At(300, {6})});
  log.ForgetBefore(Instant{250});
  EXPECT_EQ(Said(log), (Pairs{{200, 4}, {300, 6}}));
  log.ForgetBefore(Instant{50});
  EXPECT_EQ(Said(log), (Pairs{{200, 4}, {300, 6}}));
}

TEST(TerrainLog, OtherResourcesBeginAnew) {
  TerrainLog log;
  log.Take(Instant{100}, Steps{At(100, {8})});
  log.Take(Instant{200}, Steps{At(200, {8, 2})});
  EXPECT_EQ(Said(log), (Pairs{{200, 8}}));
}

TEST(TerrainLog, HoldsNoMoreThanItsBound) {
  TerrainLog log;
  for (int64_t i = 0; i < 5000; ++i) log.Take(Instant{i}, Steps{At(i, {i % 7})});
  ASSERT_EQ(log.steps().size(), TerrainLog::kMostSteps);
  EXPECT_EQ(log.steps().back().from, Instant{4999});
}

}  // namespace
}  // namespace muster::forecast
