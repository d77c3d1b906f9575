// The distributions that outcomes teach: their range, their conditions, and who is believed.
#include "meta/forecast/model/run_times.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace muster::forecast {
namespace {

const Shape kSolve{"kim", 8, Span{3600}};

TEST(RunTimes, BucketsAreAQuarterOfAnOctaveWide) {
  EXPECT_EQ(BucketOf(Span{1}), 0u);
  EXPECT_EQ(BucketOf(Span{2}), 4u);
  EXPECT_EQ(BucketOf(Span{1024}), 40u);
  EXPECT_EQ(BucketBegin(40), Span{1024});
  EXPECT_EQ(BucketBegin(41), Span{1218});
  EXPECT_EQ(BucketOf(Span{1217}), 40u);
  EXPECT_EQ(BucketOf(Span{1218}), 41u);
}

TEST(RunTimes, WhatNeverRanMayTakeAllItAskedFor) {
  const RunTime guess = RunTimes().Of(kSolve);
  EXPECT_EQ(guess.Quantile(0.0), Span{1});
  EXPECT_EQ(guess.Quantile(0.81), Span{3600});
  EXPECT_EQ(guess.Quantile(0.999), Span{3600});
}

TEST(RunTimes, OneUsersHabitIsBelievedOnceItHasHeld) {
  RunTimes learned;
  for (int i = 0; i < 200; ++i) learned.Learn(kSolve, Span{600});
  const RunTime now = learned.Of(kSolve);
  EXPECT_EQ(BucketOf(now.Quantile(0.5)), BucketOf(Span{600}));
  EXPECT_GT(now.Quantile(0.2), Span{400});
  EXPECT_LT(now.Quantile(0.8), Span{900});
}

TEST(RunTimes, ANewHabitReplacesAnOldOneWithinAFewOutcomes) {
  RunTimes learned;
  for (int i = 0; i < 100; ++i) learned.Learn(kSolve, Span{600});
  for (int i = 0; i < 14; ++i) learned.Learn(kSolve, Span{60});
  EXPECT_LT(learned.Of(kSolve).Quantile(0.4), Span{120});
}

// A burst of like requests, most of which ran for long when they ran last.
RunTimes AfterTheShortestOfABurst() {
  RunTimes learned;
  for (int i = 0; i < 100; ++i) learned.Learn({"ana", 8, Span{3600}}, Span{1800});
  for (int i = 0; i < 20; ++i) learned.Learn(kSolve, Span{30});
  return learned;
}

TEST(RunTimes, WhatStillRunsIsLongerThanWhatHasEnded) {
  const RunTimes learned = AfterTheShortestOfABurst();
  RunTimes::Running running;
  for (int i = 0; i < 80; ++i) running.Add(kSolve, Span{300});
  EXPECT_LT(learned.Of(kSolve).Quantile(0.5), Span{60});
  const RunTime counted = learned.Of(kSolve, running);
  EXPECT_GT(counted.Quantile(0.5), Span{1000});
  EXPECT_LT(counted.Quantile(0.05), Span{60}) << "some did end early";
}

TEST(RunTimes, WhatHasJustStartedSaysLittle) {
  const RunTimes learned = AfterTheShortestOfABurst();
  RunTimes::Running running;
  for (int i = 0; i < 80; ++i) running.Add(kSolve, Span{0});
  for (const double u : {0.1, 0.3, 0.5, 0.7}) {
    EXPECT_EQ(BucketOf(learned.Of(kSolve, running).Quantile(u)),
              BucketOf(learned.Of(kSolve).Quantile(u)));
  }
}

TEST(RunTimes, ThoseOfOtherUsersThatRunAreNotCounted) {
  const RunTimes learned = AfterTheShortestOfABurst();
  RunTimes::Running running;
  for (int i = 0; i < 80; ++i) running.Add({"ana", 8, Span{3600}}, Span{300});
  EXPECT_EQ(learned.Of(kSolve, running).Quantile(0.5), learned.Of(kSolve).Quantile(0.5));
}

TEST(RunTimes, AStrangersShapeIsJudgedByWhatOthersMadeOfIt) {
  RunTimes learned;
  for (int i = 0; i < 100; ++i) {
    learned.Learn({"user" + std::to_string(i), 4, Span{7200}}, Span{720});
  }
  // A tenth of what was asked, also where nobody asked for that much before.
  const Span median = learned.Of({"new", 64, Span{72'000}}).Quantile(0.5);
  EXPECT_GT(median, Span{4'000});
  EXPECT_LT(median, Span{12'000});
}

TEST(RunTimes, ARequestThatWasKilledAtItsLimitTeachesTheLimit) {
  RunTimes learned;
  for (int i = 0; i < 50; ++i) learned.Learn(kSolve, Span{3600});
  EXPECT_EQ(learned.Of(kSolve).Quantile(0.5), Span{3600});
}

TEST(RunTimes, WhatRunsLongerThanItsAskedTimeEndsNow) {
  EXPECT_EQ(RunTimes().Of(kSolve).Quantile(0.1, Span{3600}), Span{3600});
  EXPECT_EQ(RunTimes().Of(kSolve).Quantile(0.1, Span{3599}), Span{3600});
}

TEST(RunTimes, ADistributionWithoutSpreadSaysItsOnlyOutcome) {
  std::array<double, kBuckets + 1> chances{};
  chances[kBuckets] = 1;
  const RunTime certain(Span{100}, chances);
  EXPECT_EQ(certain.Quantile(0), Span{100});
  EXPECT_EQ(certain.Quantile(0.99), Span{100});
}

RC_GTEST_PROP(RunTimes, QuantilesAscendWithinElapsedAndAsked, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  RunTimes learned;
  const auto shape = [&] {
    return Shape{"u" + std::to_string(random.Below(3)), random.Between(1, 300),
                 Span{random.Between(1, 400'000)}};
  };
  for (int i = 0; i < 40; ++i) learned.Learn(shape(), Span{random.Between(-5, 500'000)});
  const Shape asked = shape();
  const RunTime run = learned.Of(asked);
  const Span elapsed{random.Between(0, asked.asked.seconds)};
  Span before{0};
  for (int i = 0; i < 50; ++i) {
    const Span at = run.Quantile(i / 50.0, elapsed);
    RC_ASSERT(at >= before);
    RC_ASSERT(at > elapsed || at == asked.asked);
    RC_ASSERT(at <= asked.asked);
    before = at;
  }
}

RC_GTEST_PROP(RunTimes, WhatIsRestoredLearnsOnAsTheOriginalWould, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  const auto outcome = [&] {
    const Shape shape{"u" + std::to_string(random.Below(3)), random.Between(1, 9),
                      Span{random.Between(1, 9'000)}};
    return std::pair(shape, Span{random.Between(1, 9'000)});
  };
  RunTimes original;
  for (int i = 0; i < 60; ++i) {
    const auto [shape, ran] = outcome();
    original.Learn(shape, ran);
  }
  RunTimes restored;
  restored.Restore(original.trust());
  for (const auto& [key, outcomes] : original.outcomes()) restored.Restore(key, outcomes);
  const auto [shape, ran] = outcome();
  original.Learn(shape, ran);
  restored.Learn(shape, ran);
  RC_ASSERT(restored == original);
}

}  // namespace
}  // namespace muster::forecast
