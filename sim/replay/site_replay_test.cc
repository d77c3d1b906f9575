// Replays small workloads at one site and checks its plan. If MUSTER_TRACES names a folder of
// traces, days of real traces are replayed too.
#include "sim/replay/site_replay.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/replay/site_report.h"

namespace muster::sim {
namespace {

site::Options TwoNodes() {
  site::Options site{.name = "site", .boot_id = "boot-1", .nodes = *NodesFromText("2x4")};
  site.driver = "simulated";
  site.facts.turnover = {0};
  site.facts.start_slack = {0};
  return site;
}

ReplayJob Arriving(int64_t number, int64_t arrives, int64_t processors, int64_t asked,
                   int64_t ran) {
  ReplayJob job{.number = number, .arrives = {arrives}, .runs = {ran}, .user = "u", .group = "g"};
  job.spec.name = "j";
  job.spec.duration = {asked};
  job.spec.parts = {
      {.chunks = {{.count = static_cast<uint32_t>(processors), .resources = {{"ncpus", 1}}}}}};
  return job;
}

TEST(SiteReplay, JobsStartByTheirPromisesAndEarlierWhenOthersEndEarly) {
  const SiteWorkload workload{
      .jobs = {Arriving(1, 0, 8, 100, 40),   // the whole machine, for 40 s
               Arriving(2, 1, 8, 100, 100),  // promised for 100, starts at 40
               Arriving(3, 2, 4, 50, 50),    // behind it
               Arriving(4, 3, 9, 10, 10)},   // more than there is
      .began = 1000};
  const ReplayResult result = ReplayAtSite(TwoNodes(), workload);
  EXPECT_TRUE(result.violations.empty()) << result.violations.front();
  EXPECT_EQ(result.submitted, 4u);
  EXPECT_EQ(result.refused.at("never"), 1u);
  EXPECT_EQ(result.outcomes.at("done"), 3u);
  EXPECT_EQ(result.kept, 3u);
  EXPECT_TRUE(result.late.empty());
  EXPECT_EQ(result.earlier, 2u);
  EXPECT_EQ(result.earlier_most_s, 60);
  EXPECT_EQ(result.waited_sum_s, 39 + 138);
  EXPECT_EQ(result.lasted.milliseconds, 190'000);
  EXPECT_EQ(result.backfilled, 2u);
  EXPECT_GT(result.checks, 3u);
  EXPECT_NEAR(result.utilisation, (8 * 140 + 4 * 50) / (8 * 190.0), 1e-9);
}

// The end of one and the start of the next are due in the same turn of the core: who is gone is
// gone before anything is due.
TEST(SiteReplay, AJobStartsWhereAnotherReachesItsLimitAtThatVeryInstant) {
  SiteWorkload workload;
  for (int64_t n = 0; n < 10; ++n)
    workload.jobs.push_back(Arriving(n, 0, n % 2 == 0 ? 8 : 5, 50, 50));
  const ReplayResult result = ReplayAtSite(TwoNodes(), workload);
  EXPECT_TRUE(result.violations.empty()) << result.violations.front();
  EXPECT_EQ(result.kept, 10u);
  EXPECT_EQ(result.earlier, 0u);
  EXPECT_EQ(result.lasted.milliseconds, 500'000);
}

TEST(SiteReplay, TheSameWorkloadGivesTheSameReport) {
  SiteWorkload workload;
  for (int64_t n = 0; n < 60; ++n) {
    workload.jobs.push_back(Arriving(n, 3 * n, 1 + n * 7 % 8, 20 + n * 13 % 90, 10 + n * 11 % 60));
    auto& job = workload.jobs.back();
    job.runs = std::min(job.runs, job.spec.duration);
    if (n % 9 == 0) job.spec.parts[0].exclusive = true;
    if (n % 5 == 0) job.spec.parts[0].chunks[0].count = 1;
  }
  const ReplayResult one = ReplayAtSite(TwoNodes(), workload);
  const ReplayResult two = ReplayAtSite(TwoNodes(), workload);
  EXPECT_TRUE(one.violations.empty()) << one.violations.front();
  EXPECT_EQ(one.ended, 60u);
  EXPECT_EQ(one.kept, 60u);
  EXPECT_EQ(ToText(SiteReport{.result = one}), ToText(SiteReport{.result = two}));
}

class RealTrace : public ::testing::Test {
 protected:
  void Replay(SiteReplayOptions options) {
    const char* folder = std::getenv("MUSTER_TRACES");
    if (folder == nullptr) GTEST_SKIP() << "MUSTER_TRACES is unset: no real trace here";
    options.trace = std::string(folder) + "/" + options.trace;
    const auto report = ReplayTrace(options);
    ASSERT_TRUE(report.ok()) << Text(report.status());
    const ReplayResult& result = report->result;
    SCOPED_TRACE(ToText(*report));
    EXPECT_TRUE(result.violations.empty());
    EXPECT_GT(result.started, 50u);
    EXPECT_EQ(result.kept, result.started) << "nothing is lost here that would excuse a late start";
    EXPECT_EQ(result.ended, result.started);
    EXPECT_GT(result.checks, 100u);
  }
};

TEST_F(RealTrace, ADayOfCeritKeepsEveryRuleAndPromise) {
  Replay({.trace = "CERIT-wagap-2013.swf.gz", .day = 84});
}

TEST_F(RealTrace, ADayOfCtcKeepsEveryRuleAndPromise) {
  Replay({.trace = "CTC-SP2-1996-3.1-cln.swf.gz", .nodes = "338x1", .day = 237});
}

}  // namespace
}  // namespace muster::sim
