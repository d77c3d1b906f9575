// Draws that stay, and futures that differ only in how long things run.
#include "meta/forecast/model/futures.h"

#include <gtest/gtest.h>

#include "meta/forecast/model/run_model.h"

namespace muster::forecast::futures_test {
namespace {

Runner RunnerOf(uint64_t request, const std::string& user, Span elapsed = Span{0}) {
  const Shape shape{user, 4, Span{3600}};
  return {request, KinOf(shape), RunModel().Of(shape, Instant{0}), elapsed};
}

TEST(Futures, ADrawIsTheSameWheneverItIsMade) {
  const Runner runner = RunnerOf(7, "kim");
  EXPECT_EQ(DrawOf(1, runner, 3), DrawOf(1, runner, 3));
  EXPECT_NE(DrawOf(1, runner, 3), DrawOf(1, runner, 4));
  EXPECT_NE(DrawOf(1, runner, 3), DrawOf(2, runner, 3));
}

TEST(Futures, DrawsAreSpreadEvenly) {
  double sum = 0;
  for (uint32_t sample = 0; sample < 2000; ++sample) sum += DrawOf(1, RunnerOf(7, "kim"), sample);
  EXPECT_NEAR(sum / 2000, 0.5, 0.03);
}

TEST(Futures, WaitingKinDrawAlikeInSomeFuturesAndStrangersInNone) {
  int kin = 0;
  int strangers = 0;
  for (uint32_t sample = 0; sample < 1000; ++sample) {
    const double draw = DrawOf(1, RunnerOf(7, "kim"), sample);
    if (draw == DrawOf(1, RunnerOf(8, "kim"), sample)) ++kin;
    if (draw == DrawOf(1, RunnerOf(8, "ana"), sample)) ++strangers;
  }
  EXPECT_NEAR(kin, 360, 50);
  EXPECT_EQ(strangers, 0);
}

TEST(Futures, WhatRunsDrawsForItself) {
  for (uint32_t sample = 0; sample < 100; ++sample) {
    EXPECT_NE(DrawOf(1, RunnerOf(7, "kim", Span{60}), sample),
              DrawOf(1, RunnerOf(8, "kim", Span{60}), sample));
  }
}

TEST(Futures, NoFutureIsLaterThanThePlan) {
  const std::vector<Backfilling::Step> terrain = {{Instant{0}, {4}}};
  Backfilling plan(Instant{0}, terrain);
  std::vector<Runner> runners;
  const std::vector<int64_t> amounts = {4};
  for (uint64_t i = 0; i < 5; ++i) {
    plan.Add(amounts, Span{3600}, Span{3600}, Instant{0});
    runners.push_back(RunnerOf(i, "kim"));
  }
  const Instant bound = plan.StartOf(4);
  EXPECT_EQ(bound, Instant{4 * 3600});
  int earlier = 0;
  for (uint32_t sample = 0; sample < kSamples; ++sample) {
    const Instant start = FutureOf(plan, runners, 1, sample).RunUntilStarted(4);
    EXPECT_LE(start, bound);
    if (start < bound) ++earlier;
  }
  EXPECT_GT(earlier, 24);
}

}  // namespace
}  // namespace muster::forecast::futures_test
