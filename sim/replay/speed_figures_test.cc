// Throughput and its two factors, by hand.
#include "sim/replay/speed_figures.h"

#include <gtest/gtest.h>

#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

constexpr Instant kBegin{1'000'000};

FederationJob Job(int64_t runs, int64_t processors, bool balanced) {
  return {.submitted = kBegin,
          .asks = Span{runs},
          .runs = Span{runs},
          .parts = {processors},
          .balanced = balanced};
}

JobOutcome Ran(int64_t from, int64_t to, int64_t held) {
  return {.fate = JobFate::kEnded,
          .sites = {0},
          .start = kBegin + Span{from},
          .end = kBegin + Span{to},
          .held = held};
}

// Four processors of 120, 120, 80 and 80 %, together 4. A balanced job on all of them runs at 80 %:
// of 4 held 3.2 do work. Then two pooled processors work at all of what they hold, half of 4.
TEST(SpeedFigures, ThroughputIsWhatJobsHoldTimesHowMuchOfItWorks) {
  const std::vector<ReplaySite> sites = {*SiteFromText("a=speeds:2x120%,2x80%")};
  const std::vector<FederationJob> jobs = {Job(80, 4, true), Job(100, 2, false)};
  FederationResult result;
  result.jobs = {Ran(0, 100, 4000), Ran(100, 200, 2000)};
  const SpeedFigures f = MeasureSpeeds(sites, jobs, result);
  EXPECT_DOUBLE_EQ(f.capacity, 4);
  // 90 % of the work of 520 is 468: 320 in the first 100 s, then 148 at 2 per second.
  EXPECT_DOUBLE_EQ(f.window, 174);
  EXPECT_DOUBLE_EQ(f.throughput, 468.0 / (4 * 174));
  EXPECT_DOUBLE_EQ(f.held, (400.0 + 148) / (4 * 174));
  EXPECT_DOUBLE_EQ(f.efficiency, 468.0 / 548);
  EXPECT_DOUBLE_EQ(f.response, 150);
  EXPECT_DOUBLE_EQ(f.response_balanced, 100);
  EXPECT_DOUBLE_EQ(f.response_pooled, 200);
  EXPECT_DOUBLE_EQ(f.slowdown, (1.25 + 2) / 2);
}

TEST(SpeedFigures, AreZeroIfNoJobEnded) {
  const std::vector<ReplaySite> sites = {*SiteFromText("a=speeds:2x120%")};
  const std::vector<FederationJob> jobs = {Job(80, 4, true)};
  FederationResult result;
  result.jobs.resize(1);
  const SpeedFigures f = MeasureSpeeds(sites, jobs, result);
  EXPECT_DOUBLE_EQ(f.throughput, 0);
  EXPECT_DOUBLE_EQ(f.efficiency, 0);
  EXPECT_DOUBLE_EQ(f.slowdown, 0);
}

}  // namespace
}  // namespace muster::sim
