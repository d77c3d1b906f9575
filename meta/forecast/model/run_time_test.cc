// Distributions of run times: their buckets, their range, and their conditions.
#include "meta/forecast/model/run_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace muster::forecast {
namespace {

TEST(RunTime, BucketsAreAQuarterOfAnOctaveWide) {
  EXPECT_EQ(BucketOf(Span{1}), 0u);
  EXPECT_EQ(BucketOf(Span{2}), 4u);
  EXPECT_EQ(BucketOf(Span{1024}), 40u);
  EXPECT_EQ(BucketBegin(40), Span{1024});
  EXPECT_EQ(BucketBegin(41), Span{1218});
  EXPECT_EQ(BucketOf(Span{1217}), 40u);
  EXPECT_EQ(BucketOf(Span{1218}), 41u);
}

TEST(RunTime, AnOutcomeLiesBetweenASecondAndTheLimit) {
  EXPECT_EQ(OutcomeOf(Span{-5}, Span{100}), Span{1}) << "a clock was set back";
  EXPECT_EQ(OutcomeOf(Span{0}, Span{100}), Span{1});
  EXPECT_EQ(OutcomeOf(Span{500}, Span{100}), Span{100});
  EXPECT_EQ(OutcomeOf(Span{500}, Span{0}), Span{1}) << "asked for nothing";
}

TEST(RunTime, WithoutSpreadItSaysItsOnlyOutcome) {
  Chances chances{};
  chances[kBuckets] = 1;
  const RunTime certain(Span{100}, chances);
  EXPECT_EQ(certain.Quantile(0), Span{100});
  EXPECT_EQ(certain.Quantile(0.99), Span{100});
  EXPECT_DOUBLE_EQ(certain.Mean(), 100);
  EXPECT_DOUBLE_EQ(certain.ChanceOf(Span{100}), 1);
  EXPECT_DOUBLE_EQ(certain.ChanceOf(Span{99}), 0);
}

TEST(RunTime, WhatRunsLongerThanItsLimitEndsNow) {
  Chances chances{};
  chances.fill(1);
  const RunTime run(Span{3600}, chances);
  EXPECT_EQ(run.Quantile(0.1, Span{3600}), Span{3600});
  EXPECT_EQ(run.Quantile(0.1, Span{3599}), Span{3600});
}

RC_GTEST_PROP(RunTime, ItsQuantilesAscendItsChancesSumToOneAndItsMeanIsThatOfItsQuantiles, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  const Span asked{random.Between(1, 400'000)};
  Chances chances{};
  for (double& chance : chances) chance = static_cast<double>(random.Below(1000));
  const RunTime run(asked, chances);
  const Span elapsed{random.Between(0, asked.seconds)};
  Span before{0};
  for (int i = 0; i < 50; ++i) {
    const Span at = run.Quantile(i / 50.0, elapsed);
    RC_ASSERT(at >= before);
    RC_ASSERT(at > elapsed || at == asked);
    RC_ASSERT(at <= asked);
    before = at;
  }
  double sum = run.ChanceOf(asked);
  for (size_t b = 0; b <= BucketOf(asked); ++b) {
    // Below 4 s some buckets have no whole second, and no outcome.
    const Span begin = BucketBegin(b);
    if (begin < asked && BucketOf(begin) == b) sum += run.ChanceOf(begin);
  }
  RC_ASSERT(sum < 1 + 1e-9);
  double mean = 0;
  for (int i = 0; i < 4000; ++i) mean += static_cast<double>(run.Quantile(i / 4000.0).seconds);
  mean /= 4000;
  RC_ASSERT(std::abs(run.Mean() - mean) <= 2 + 0.03 * static_cast<double>(asked.seconds));
}

}  // namespace
}  // namespace muster::forecast
