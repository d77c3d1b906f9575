// The error figures of the paper's experiment by hand, and a small run of it. CCS Sect. 4.3,
// scheduling.md section 10.
#include "sim/replay/error_comparison.h"

#include <gtest/gtest.h>

#include "sim/replay/comparison_files.h"

namespace muster::sim {
namespace {

TEST(ErrorFigures, AreNormalisedByTheirOwnMaximumOrByTheAutonomousOne) {
  const ErrorFigures autonomous{.count = 4, .mean = 600, .p95 = 1200, .most = 1200};
  const ErrorFigures verified{.count = 4, .mean = 60, .p95 = 240, .most = 240};
  EXPECT_DOUBLE_EQ(*autonomous.Ev(), 50);
  EXPECT_DOUBLE_EQ(*verified.Ev(), 25);
  EXPECT_DOUBLE_EQ(*EvOf(verified.mean, autonomous.most), 5);
  EXPECT_DOUBLE_EQ(*Reduction(autonomous, verified), 0.9);
  EXPECT_EQ(EvOf(0, 0), std::nullopt) << "there was no error at all";
  EXPECT_EQ(ErrorFigures{}.Ev(), std::nullopt);
}

TEST(ErrorFigures, AreNotReducedFromLessThanAMinute) {
  EXPECT_EQ(Reduction({.mean = 59}, {.mean = 0}), std::nullopt);
  EXPECT_DOUBLE_EQ(*Reduction({.mean = 60}, {.mean = 90}), -0.5);
}

TEST(ErrorFigures, ThePaperWentFrom34Point9To6Point4) {
  EXPECT_NEAR(*Reduction({.mean = 34.923 * 60}, {.mean = 6.428 * 60}), 0.816, 0.0005);
}

TEST(ErrorClasses, AreTwentiethsOfTheMaximum) {
  const ErrorClasses classes = Classify({0, 1, 50, 51, 1000, 1001}, 1000);
  EXPECT_EQ(classes.none, 1u);
  EXPECT_EQ(classes.classes[0], 2u) << "1 and 50 of 1000";
  EXPECT_EQ(classes.classes[1], 1u);
  EXPECT_EQ(classes.classes[kErrorClasses - 1], 1u);
  EXPECT_EQ(classes.above, 1u);
  EXPECT_EQ(classes.Count(), 6u);
}

// A model of a busy machine of 64 processors, on such a machine.
RunSettings Busy() {
  RunSettings out{.name = "lublin", .model = Lublin{.jobs = 150, .processors = 64}};
  out.classes = true;
  out.load = 0.85;
  return out;
}

std::vector<ErrorComparison> Compared(const std::vector<std::string>& sites, bool exact) {
  const ComparisonAxes axes{
      .sites = sites,
      .packings = {{"fcfs*", std::nullopt}, {"ffih*", Span{3600}}, {"ffdh*", Span{3600}}},
      .exact = {exact}};
  const auto all = CompareAll({Busy()}, axes, nullptr);
  EXPECT_TRUE(all.ok()) << all.status();
  return all.ok() ? *all : std::vector<ErrorComparison>();
}

TEST(PaperExperiment, WithExactRunTimesWhatEntersStartsWhenItWasToldTo) {
  const auto all =
      Compared({"m=mesh:8x8", "c=hypercube:64", "t=torus:4x4x4", "s=switches:16x4"}, true);
  ASSERT_EQ(all.size(), 12u);
  size_t wrong = 0;
  for (const ErrorComparison& one : all) {
    SCOPED_TRACE(one.machine + ", " + one.packing);
    EXPECT_EQ(one.violations, std::vector<std::string>());
    EXPECT_EQ(one.verified.started, 150u);
    EXPECT_EQ(one.autonomous.started, 150u);
    EXPECT_EQ(one.verified.on_entering.count, 150u);
    EXPECT_EQ(one.verified.on_entering.most, 0) << "zero error on entering";
    EXPECT_EQ(one.verified.at_submission.count, 150u) << "all are told at submission";
    EXPECT_EQ(one.autonomous.at_submission.count, 150u);
    if (one.packing == "fcfs*, inf") {
      EXPECT_EQ(one.verified.at_submission.most, 0) << "100 % less";
    }
    if (one.autonomous.on_entering.most > 0) ++wrong;
  }
  EXPECT_GT(wrong, 6u) << "the baseline meets machines that are not flat";
}

TEST(PaperExperiment, OnAFlatMachineBothAgree) {
  for (const ErrorComparison& one : Compared({"f=flat:64"}, true)) {
    SCOPED_TRACE(one.packing);
    EXPECT_EQ(one.autonomous.wait_mean, one.verified.wait_mean);
    EXPECT_EQ(one.autonomous.at_submission.mean, one.verified.at_submission.mean);
    EXPECT_EQ(one.autonomous.on_entering.most, 0);
  }
}

TEST(PaperExperiment, IsTheSameEveryTime) {
  const auto once = Compared({"m=mesh:8x8"}, true);
  const auto again = Compared({"m=mesh:8x8"}, true);
  EXPECT_EQ(ComparisonJson(once), ComparisonJson(again));
  EXPECT_NE(ComparisonTable(once).find("MEDIAN REDUCTION"), std::string::npos);
  EXPECT_NE(ComparisonPage("title", once).find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace muster::sim
