// Points as worked out by hand. Maui Sect. III (Unified Queue); scheduling.md section 11.
#include "policy/points.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::policy {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr Span kHour{3600};

PointsRules Rules(std::map<Factor, int64_t> weights) {
  PointsRules rules;
  for (const auto& [factor, weight] : weights) rules.weights[static_cast<size_t>(factor)] = weight;
  return rules;
}

int64_t Value(const PointsRules& rules, Factor factor, const Asker& asker,
              const Largest& largest = {}) {
  return ValuesOf(rules, asker, largest)[static_cast<size_t>(factor)];
}

TEST(Points, QueueTimeCountsOfTheWaitAtWhichItIsFull) {
  const PointsRules rules = Rules({{Factor::kQueue, 2000}});
  EXPECT_EQ(Value(rules, Factor::kQueue, {.wait = Span{12 * 60}}), 8);
  EXPECT_EQ(PointsOf(rules, ValuesOf(rules, {.wait = Span{12 * 60}}, {})), 16);
  EXPECT_EQ(Value(rules, Factor::kQueue, {.wait = Span{86'400}}), 1000);
  EXPECT_EQ(Value(rules, Factor::kQueue, {.wait = Span{30 * 86'400}}), 1000) << "no more than full";
  EXPECT_EQ(Value(rules, Factor::kQueue, {.wait = Span{-5}}), 0) << "a clock that went back";
}

// Maui's expansion factor is (wait + duration) / duration.
TEST(Points, TheExpansionFactorIsTheWaitInDurations) {
  const PointsRules rules = Rules({{Factor::kXFactor, 1000}});
  EXPECT_EQ(Value(rules, Factor::kXFactor, {.wait = kHour, .duration = kHour}), 100) << "x 2 of 11";
  EXPECT_EQ(Value(rules, Factor::kXFactor, {.wait = kHour, .duration = Span{360}}), 1000);
  EXPECT_EQ(Value(rules, Factor::kXFactor, {.wait = kHour, .duration = Span{36'000}}), 10);
}

TEST(Points, ResourcesCountOfTheLargestSite) {
  const PointsRules rules = Rules({});
  const Largest largest{.procs = 64, .mem = 128 * kGiB};
  const Asker asker{.duration = Span{6 * 3600}, .procs = 16, .mem = 96 * kGiB};
  EXPECT_EQ(Value(rules, Factor::kProcs, asker, largest), 250);
  EXPECT_EQ(Value(rules, Factor::kMem, asker, largest), 750);
  EXPECT_EQ(Value(rules, Factor::kArea, asker, largest), 62) << "a quarter of it for a quarter day";
  EXPECT_EQ(Value(rules, Factor::kProcs, {.procs = 80}, largest), 1000)
      << "co-allocations have more";
  EXPECT_EQ(Value(rules, Factor::kProcs, asker), 0) << "no site has said what it has";
}

// Maui Sect. III, Target: half of it nothing, at it the whole.
TEST(Points, TheTargetOfAQosCountsFromItsHalfOn) {
  const PointsRules rules = Rules({{Factor::kTarget, 1000}});
  const auto value = [&](Span wait, Span planned = Span{0}) {
    return Value(rules, Factor::kTarget, {.wait = wait, .target = kHour, .planned = planned});
  };
  EXPECT_EQ(value(Span{0}), 0);
  EXPECT_EQ(value(Span{30 * 60}), 0);
  EXPECT_EQ(value(Span{48 * 60}), 600);
  EXPECT_EQ(value(kHour), 1000);
  EXPECT_EQ(value(Span{90 * 60}), 1000);
  EXPECT_EQ(value(Span{0}, Span{45 * 60}), 500) << "the plan shows a miss before it happens";
  EXPECT_EQ(Value(rules, Factor::kTarget, {.wait = kHour}), 0) << "no target";
}

TEST(Points, CredentialsAddUpAndAreClamped) {
  PointsRules rules = Rules({{Factor::kCred, 1000}});
  rules.credentials = {
      {"kim", 50}, {"@weather", 300}, {"@slow", -900}, {"queue debug", 800}, {"queue normal", -40}};
  EXPECT_EQ(Value(rules, Factor::kCred, {.who = {.user = "kim", .groups = {"weather"}}}), 350);
  EXPECT_EQ(Value(rules, Factor::kCred,
                  {.who = {.user = "kim", .groups = {"weather"}, .queue = "debug"}}),
            1000);
  EXPECT_EQ(
      Value(rules, Factor::kCred, {.who = {.user = "bo", .groups = {"slow"}, .queue = "normal"}}),
      -940);
  rules.credentials["account chem"] = 100;
  rules.credentials["qos urgent"] = 30;
  EXPECT_EQ(
      Value(rules, Factor::kCred, {.who = {.user = "kim", .account = "chem", .qos = "urgent"}}),
      180);
  EXPECT_EQ(Value(rules, Factor::kCred, {.who = {.user = "weather"}}), 0)
      << "a user, not the group";
}

TEST(Points, AreTheWeightedSumAndWeightsMayBeNegative) {
  PointsRules rules = Rules({{Factor::kCred, -200}, {Factor::kQueue, 2000}, {Factor::kProcs, -40}});
  rules.credentials = {{"kim", 50}};
  const Asker asker{.who = {.user = "kim"}, .wait = Span{12 * 60}, .procs = 16};
  EXPECT_EQ(PointsOf(rules, ValuesOf(rules, asker, {.procs = 64})), -10 + 16 - 10);
}

TEST(Points, AreRoundedHalfAwayFromZero) {
  EXPECT_EQ(PointsOf(1, 500), 1);
  EXPECT_EQ(PointsOf(1, 499), 0);
  EXPECT_EQ(PointsOf(-1, 500), -1);
  EXPECT_EQ(PointsOf(-1, 499), 0);
  EXPECT_EQ(PointsOf(kMostWeight, kWhole), kMostWeight);
}

// However large the facts, values stay within a whole and points within the sum of the weights.
TEST(Points, StayWithinTheSumOfTheWeights) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    PointsRules rules;
    int64_t most = 0;
    for (int64_t& weight : rules.weights) {
      weight = random.Between(-kMostWeight, kMostWeight);
      most += weight < 0 ? -weight : weight;
    }
    rules.queue_full = Span{random.Between(1, 366 * 86'400)};
    rules.x_full = random.Between(1, 1000);
    rules.credentials = {{"kim", random.Between(-1000, 1000)}, {"@g", random.Between(-1000, 1000)}};
    const auto any = [&random] { return random.Between(0, INT64_MAX); };
    const Asker asker{.who = {.user = "kim", .groups = {"g"}},
                      .wait = Span{any()},
                      .duration = Span{any()},
                      .procs = any(),
                      .mem = any()};
    const Values values = ValuesOf(rules, asker, {.procs = any(), .mem = any()});
    for (const int64_t value : values) {
      ASSERT_GE(value, -kWhole);
      ASSERT_LE(value, kWhole);
    }
    const int64_t points = PointsOf(rules, values);
    ASSERT_LE(points, most + static_cast<int64_t>(kFactors));
    ASSERT_GE(points, -most - static_cast<int64_t>(kFactors));
  }
}

TEST(Points, FactorsAreFoundByTheirNames) {
  for (const Factor factor : kAllFactors) EXPECT_EQ(FactorOf(NameOf(factor)), factor);
  EXPECT_EQ(FactorOf("luck"), std::nullopt);
}

}  // namespace
}  // namespace muster::policy
