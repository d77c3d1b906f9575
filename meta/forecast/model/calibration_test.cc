// Intervals that hold as often as they say, also when the samples are wrong.
#include "meta/forecast/model/calibration.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace muster::forecast::calibration_test {
namespace {

Instant DayOf(int64_t day) { return Instant{day * 86'400 + 5}; }

const std::vector<Span> kSamples = {Span{600}, Span{1200}, Span{1800}, Span{2400}, Span{3000}};

TEST(Calibration, BeforeAnythingIsLearnedTheSamplesSpeak) {
  const Forecast forecast = Calibration().Of(kSamples, Span{7200});
  EXPECT_EQ(forecast.median, Span{1800});
  EXPECT_LT(forecast.low, Span{900});
  EXPECT_GT(forecast.high, Span{3300});
}

TEST(Calibration, NoFigureLiesBeyondTheBound) {
  const Forecast forecast = Calibration().Of(kSamples, Span{2000});
  EXPECT_LE(forecast.low, forecast.median);
  EXPECT_LE(forecast.median, Span{2000});
  EXPECT_EQ(forecast.high, Span{2000});
}

TEST(Calibration, WhatCanStartNowIsNotSaidToWait) {
  const std::vector<Span> now(5, Span{0});
  const Forecast forecast = Calibration().Of(now, Span{0});
  EXPECT_EQ(forecast.high, Span{0});
  EXPECT_FALSE(forecast.Counts());
}

// What is expected after the waits of many days that scattered about this one.
Span ExpectedAfter(Span about) {
  constexpr std::array<double, 5> kTimes = {0.5, 0.8, 1, 1.25, 2};
  Calibration calibration;
  for (int day = 0; day < 100; ++day) {
    const double waited = static_cast<double>(about.seconds) * kTimes[day % kTimes.size()];
    calibration.Learn(calibration.Of(kSamples, Span{20'000}), VoiceOf("kim", DayOf(day)),
                      Span{std::llround(waited)});
  }
  return calibration.Of(kSamples, Span{20'000}).median;
}

TEST(Calibration, TheMedianFollowsOnlyStartsThatCameOutFarFromIt) {
  EXPECT_EQ(ExpectedAfter(Span{2400}), Span{1800}) << "within a spread: by chance";
  // The spread above the median is ln(2820 / 1860) / 1.28 + 0.15 = 0.475, of which one is taken
  // off.
  EXPECT_NEAR(static_cast<double>(ExpectedAfter(Span{4500}).seconds), 4560 / std::exp(0.475) - 60,
              15);
}

TEST(Calibration, EachSideHasASpreadOfItsOwn) {
  // Four of five samples wait long, and one hardly at all.
  const std::vector<Span> late = {Span{60}, Span{3000}, Span{3200}, Span{3400}, Span{3600}};
  const Forecast said = Calibration().Of(late, Span{7200});
  EXPECT_GT(said.below_thousandths, 4 * said.above_thousandths);
  Calibration calibration;
  for (int day = 0; day < 60; ++day) {
    calibration.Learn(said, VoiceOf("kim", DayOf(day)), Span{day % 2 == 0 ? 600 : 3600});
  }
  const Forecast next = calibration.Of(late, Span{7200});
  EXPECT_NEAR(static_cast<double>(next.low.seconds), 600, 2);
  EXPECT_NEAR(static_cast<double>(next.high.seconds), 3600, 2);
}

TEST(Calibration, ABurstOfOneUserIsOneVoice) {
  Calibration calibration;
  const Forecast said = calibration.Of(kSamples, Span{7200});
  for (int day = 0; day < 30; ++day)
    calibration.Learn(said, VoiceOf("kim", DayOf(day)), Span{1800});
  for (int i = 0; i < 300; ++i) calibration.Learn(said, VoiceOf("ana", DayOf(31)), Span{7000});
  EXPECT_LT(calibration.Of(kSamples, Span{7200}).median, Span{2000});
}

// On each of `days` days, ten waits come out at the median of the samples.
Forecast AfterDays(int days) {
  Calibration calibration;
  const Forecast said = calibration.Of(kSamples, Span{100'000});
  for (int i = 0; i < 10 * days; ++i) {
    calibration.Learn(said, VoiceOf("kim", DayOf(i / 10)), Span{1800});
  }
  return calibration.Of(kSamples, Span{100'000});
}

TEST(Calibration, FewVoicesHoweverAlikeLeaveRoomForTheNext) {
  // After five days the next one lies outside with probability 2/6, after a hundred with 2/101.
  EXPECT_GT(AfterDays(5).high, Span{5000});
  EXPECT_LT(AfterDays(5).low, Span{700});
  EXPECT_LT(AfterDays(100).high, Span{3300});
  EXPECT_GT(AfterDays(100).low, Span{600});
}

TEST(Calibration, AMissWidensAndHeldIntervalsNarrow) {
  Calibration calibration;
  const int64_t before = calibration.state().level_millionths;
  calibration.Judge(false);
  EXPECT_LT(calibration.state().level_millionths, before);
  const int64_t missed = calibration.state().level_millionths;
  for (int i = 0; i < 40; ++i) calibration.Judge(true);
  EXPECT_GT(calibration.state().level_millionths, missed);
  for (int i = 0; i < 2000; ++i) calibration.Judge(true);
  EXPECT_EQ(calibration.state().level_millionths, 120'000) << "hardly above the target";
}

// Models a wrong simulator: its samples are off by a factor, and waits spread wider than they do.
double CoverageOf(double confidence, double bias, double tail) {
  Random random(7);
  Calibration calibration(confidence);
  const auto uniform = [&] { return (static_cast<double>(random.Below(1'000'000)) + 0.5) / 1e6; };
  int held = 0;
  constexpr int kRequests = 2500;
  for (int i = 0; i < kRequests; ++i) {
    const double truth = 600 * std::exp(3 * uniform());
    std::vector<Span> samples;
    for (int s = 0; s < 20; ++s) {
      samples.push_back(Span{std::llround(truth * bias * std::exp(0.4 * (uniform() - 0.5)))});
    }
    std::sort(samples.begin(), samples.end());
    const Span bound{1'000'000};
    const Forecast said = calibration.Of(samples, bound);
    const Span waited{std::llround(truth * std::exp(tail * (uniform() - 0.5)))};
    calibration.Judge(said.Holds(waited));
    if (i >= kRequests / 10) held += said.Holds(waited) ? 1 : 0;
    calibration.Learn(said, VoiceOf("u" + std::to_string(i % 7), DayOf(i / 20)), waited);
  }
  return held / (0.9 * kRequests);
}

TEST(Calibration, NineOfTenIntervalsHoldWhateverTheSamplesAreWorth) {
  // Never much less; a little more where the samples spread wider than the scores.
  for (const auto& [bias, tail] : {std::pair(1.0, 0.4), std::pair(0.4, 2.0), std::pair(2.0, 1.0)}) {
    const double coverage = CoverageOf(0.9, bias, tail);
    EXPECT_GE(coverage, 0.88) << bias << " " << tail;
    EXPECT_LE(coverage, 0.96) << bias << " " << tail;
  }
}

TEST(Calibration, AnotherConfidenceIsKeptToo) { EXPECT_NEAR(CoverageOf(0.7, 0.8, 1), 0.7, 0.03); }

RC_GTEST_PROP(Calibration, FiguresAreOrderedWithinTheBound, ()) {
  Random random(*rc::gen::arbitrary<uint64_t>());
  Calibration calibration;
  for (int i = 0; i < 100; ++i) {
    std::vector<Span> samples;
    for (int s = 0; s < 5; ++s) samples.push_back(Span{random.Between(0, 100'000)});
    std::sort(samples.begin(), samples.end());
    const Span bound{random.Between(0, 100'000)};
    const Forecast said = calibration.Of(samples, bound);
    RC_ASSERT(Span{0} <= said.low && said.low <= said.median);
    RC_ASSERT(said.median <= said.high && said.high <= bound);
    calibration.Learn(said, VoiceOf("kim", DayOf(i)), Span{random.Between(0, 100'000)});
    if (said.Counts()) calibration.Judge(random.Chance(900));
  }
  Calibration restored;
  restored.Restore(calibration.state());
  RC_ASSERT(restored == calibration);
  RC_ASSERT(restored.Of(kSamples, Span{9999}) == calibration.Of(kSamples, Span{9999}));
}

}  // namespace
}  // namespace muster::forecast::calibration_test
