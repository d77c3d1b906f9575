// The error figures of the paper's experiment by hand, and a small run of it. CCS Sect. 4.3,
// scheduling.md section 10.
#include "sim/replay/error_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <type_traits>

#include "base/random.h"
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

std::vector<ErrorComparison> Compared(const std::vector<std::string>& sites, bool exact,
                                      bool ideal) {
  const ComparisonAxes axes{
      .sites = sites,
      .packings = {{"fcfs*", std::nullopt}, {"ffih*", Span{3600}}, {"ffdh*", Span{3600}}},
      .exact = {exact}};
  RunSettings run = Busy();
  run.ideal = ideal;
  const auto all = CompareAll({run}, axes, nullptr);
  EXPECT_TRUE(all.ok()) << all.status();
  return all.ok() ? *all : std::vector<ErrorComparison>();
}

class Times : public ::testing::TestWithParam<bool> {
 protected:
  bool ideal() const { return GetParam(); }
  // Tolerance: parts begin a little late, and nodes are clean before their turnover is over. That
  // makes a second or two for each job of a chain, and never a whole job.
  double Near() const { return ideal() ? 0 : 60; }
  template <typename Time>
  void ExpectNear(std::optional<Time> a, std::optional<Time> b) const {
    ASSERT_TRUE(a && b);
    if constexpr (std::is_same_v<Time, Instant>) {
      EXPECT_LE(std::abs(static_cast<double>((*a - *b).seconds)), Near());
    } else {
      EXPECT_LE(std::abs(static_cast<double>(a->milliseconds - b->milliseconds)), Near() * 1000);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(PaperExperiment, Times, ::testing::Bool(), [](const auto& times) {
  return std::string(times.param ? "Ideal" : "Daemon");
});

TEST_P(Times, WithExactRunTimesWhatEntersStartsWhenItWasToldTo) {
  const auto all =
      Compared({"m=mesh:8x8", "c=hypercube:64", "t=torus:4x4x4", "s=switches:16x4"}, true, ideal());
  ASSERT_EQ(all.size(), 12u);
  size_t wrong = 0;
  for (const ErrorComparison& one : all) {
    SCOPED_TRACE(one.machine + ", " + one.packing);
    EXPECT_EQ(one.violations, std::vector<std::string>());
    EXPECT_EQ(one.verified.started, 150u);
    EXPECT_EQ(one.autonomous.started, 150u);
    EXPECT_EQ(one.verified.on_entering.count, 150u);
    EXPECT_LE(one.verified.on_entering.most, Near()) << "zero error on entering";
    EXPECT_EQ(one.verified.on_entering.late, 0);
    EXPECT_EQ(one.verified.at_submission.count, 150u) << "all are told at submission";
    EXPECT_EQ(one.autonomous.at_submission.count, 150u);
    if (one.packing == "fcfs*, inf") {
      EXPECT_LE(one.verified.at_submission.most, Near()) << "100 % less";
    }
    if (one.autonomous.on_entering.most > Near()) ++wrong;
  }
  EXPECT_GT(wrong, 6u) << "the baseline meets machines that are not flat";
}

// A busy flat machine whose users request up to `times` times the real run time.
ReplayRun FlatRun(const std::string& packing, uint64_t times, bool ideal) {
  RunSettings settings = Busy();
  settings.ideal = ideal;
  settings.sites = {"f=flat:64"};
  settings.model->jobs = 150;
  settings.load = 8;
  settings.estimates = true;
  settings.packing = packing;
  if (packing != "fcfs*") settings.threshold = Span{3600};
  auto run = PrepareReplay(settings);
  EXPECT_TRUE(run.ok()) << run.status();
  Random random(1);
  for (FederationJob& job : run->workload.jobs) {
    job.asks = Span{job.runs.seconds * static_cast<int64_t>(1 + random.Below(times))};
  }
  return *std::move(run);
}

TEST_P(Times, OnAFlatMachineBothAgreeJobByJobHoweverEarlyJobsEnd) {
  const std::pair<std::string, uint64_t> cases[] = {
      {"fcfs*", 6}, {"ffih*", 1}, {"ffih*", 6}, {"ffdh*", 6}};
  for (const auto& [packing, times] : cases) {
    SCOPED_TRACE(packing + ", " + std::to_string(times));
    ReplayRun autonomous = FlatRun(packing, times, ideal());
    ReplayRun verified = autonomous;
    autonomous.settings.autonomous = true;
    ASSERT_TRUE(Play(autonomous, nullptr).ok());
    ASSERT_TRUE(Play(verified, nullptr).ok());
    EXPECT_EQ(verified.result.violations, std::vector<std::string>());
    size_t early = 0;
    for (size_t i = 0; i < verified.result.jobs.size(); ++i) {
      SCOPED_TRACE(i);
      const JobOutcome& a = autonomous.result.jobs[i];
      const JobOutcome& v = verified.result.jobs[i];
      ASSERT_TRUE(a.first && v.first && a.promise && v.promise);
      ExpectNear(a.first->starts_by, v.first->starts_by);
      ExpectNear(std::optional(a.promise->at), std::optional(v.promise->at));
      ExpectNear(a.promise->starts_by, v.promise->starts_by);
      ExpectNear(a.start, v.start);
      if (static_cast<double>((*v.promise->starts_by - *v.start).seconds) > Near()) ++early;
    }
    EXPECT_EQ(early > 10, times > 1) << early;
  }
}

TEST(PaperExperiment, NobodyTakesTheRoomOfThoseThatASiteMovesUpInItsNextTurn) {
  const auto job = [](int64_t submitted, int64_t processors, int64_t asks, int64_t runs) {
    return FederationJob{.submitted = Instant{submitted},
                         .asks = Span{asks},
                         .runs = Span{runs},
                         .parts = {processors}};
  };
  constexpr size_t kMany = 140;
  constexpr int64_t kLast = 10 * int64_t{kMany};
  ReplayRun run = FlatRun("ffih*", 1, /*ideal=*/true);
  run.settings.threshold = Span{0};
  std::vector<FederationJob>& jobs = run.workload.jobs;
  jobs = {job(1, 1, 7000, 7000), job(2, 63, 1000, 500)};
  for (size_t i = 0; i < kMany; ++i) jobs.push_back(job(3, 63, 10, 10));  // gaps behind the second
  jobs.push_back(job(4, 63, 5000, 5000));  // beyond the plan: a block of its own behind all those
  jobs.push_back(job(5, 63, 400, 400));    // would fit between those moved up and the others
  ReplayRun autonomous = run;
  autonomous.settings.autonomous = true;
  ASSERT_TRUE(Play(run, nullptr).ok());
  ASSERT_TRUE(Play(autonomous, nullptr).ok());
  for (const ReplayRun* side : {&run, &autonomous}) {
    const std::vector<JobOutcome>& got = side->result.jobs;
    EXPECT_EQ(got[kMany + 1].start, Instant{502 + kLast - 10});
    EXPECT_EQ(got[kMany + 2].promise->starts_by, Instant{1002 + kLast});
    EXPECT_EQ(got[kMany + 2].start, Instant{502 + kLast});
    EXPECT_EQ(got[kMany + 3].start, Instant{502 + kLast + 5000});
  }
}

TEST(PaperExperiment, IsTheSameEveryTime) {
  const auto once = Compared({"m=mesh:8x8"}, true, false);
  const auto again = Compared({"m=mesh:8x8"}, true, false);
  EXPECT_EQ(ComparisonJson(once), ComparisonJson(again));
  EXPECT_NE(ComparisonTable(once).find("MEDIAN REDUCTION"), std::string::npos);
  EXPECT_EQ(PlotsJson(ComparisonPlots("title", once)), PlotsJson(ComparisonPlots("title", again)));
}

}  // namespace
}  // namespace muster::sim
