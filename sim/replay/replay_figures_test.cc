// The metrics on schedules that are small enough to check by hand.
#include "sim/replay/replay_figures.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

FederationJob Job(int64_t submitted, int64_t runs, int64_t processors) {
  return {.submitted = {submitted}, .asks = {runs}, .runs = {runs}, .parts = {processors}};
}

JobOutcome Ran(const FederationJob& job, int64_t start, std::optional<int64_t> promise) {
  JobOutcome out{.fate = JobFate::kEnded, .sites = {0}};
  out.start = Instant{start};
  out.end = Instant{start} + job.runs;
  if (promise) {
    out.promise = ToldFigures{.starts_by = Instant{*promise}, .firm = true};
    out.first = out.promise;
  }
  return out;
}

TEST(ReplayFigures, WaitsSlowdownsPromisesAndErrors) {
  const std::vector<ReplaySite> sites = {{.processors = 10}};
  const std::vector<FederationJob> jobs = {Job(0, 100, 10), Job(10, 5, 1), Job(20, 100, 10)};
  FederationResult result;
  result.jobs = {Ran(jobs[0], 0, 0), Ran(jobs[1], 100, 160), Ran(jobs[2], 105, 100)};
  result.jobs[2].late = "node lost";
  const ReplayFigures f = Measure(sites, jobs, result);
  EXPECT_EQ(f.all.started, 3u);
  EXPECT_DOUBLE_EQ(f.all.wait_mean, (0 + 90 + 85) / 3.0);
  EXPECT_DOUBLE_EQ(f.all.wait_p95, 90);
  EXPECT_DOUBLE_EQ(f.all.slowdown, (1 + 9.5 + 1.85) / 3) << "5 s count as 10";
  EXPECT_DOUBLE_EQ(f.all.stretch, (1 + 19 + 1.85) / 3);
  EXPECT_EQ(f.all.promised, 3u);
  EXPECT_EQ(f.all.kept, 2u);
  EXPECT_EQ(f.all.late.at("node lost"), 1u);
  EXPECT_DOUBLE_EQ(f.all.at_submission.mean, (0 + 60 + 5) / 3.0);
  EXPECT_DOUBLE_EQ(f.all.at_submission.late, 5 / 3.0) << "the minute came before it was told";
  EXPECT_DOUBLE_EQ(f.all.at_submission.most, 60);
  EXPECT_DOUBLE_EQ(*f.all.at_submission.Ev(), 100 * (65 / 3.0) / 60);
  EXPECT_EQ(ErrorFigures{}.Ev(), std::nullopt);
  EXPECT_DOUBLE_EQ(f.makespan, 205);
}

TEST(ReplayFigures, UtilisationCountsBetweenTheFivePercentInstantsOfSubmission) {
  const std::vector<ReplaySite> sites = {{.processors = 4}};
  std::vector<FederationJob> jobs;
  FederationResult result;
  for (int64_t n = 0; n <= 100; ++n) {
    jobs.push_back(Job(10 * n, 10, n < 50 ? 4 : 2));
    result.jobs.push_back(Ran(jobs.back(), 10 * n, std::nullopt));
  }
  // From 50 s to 950 s: 450 s of four and 450 s of two processors.
  EXPECT_DOUBLE_EQ(Measure(sites, jobs, result).utilisation, 0.75);
}

TEST(ReplayFigures, QuantilesAreByNearestRank) {
  EXPECT_DOUBLE_EQ(Quantile({}, 0.95), 0);
  EXPECT_DOUBLE_EQ(Quantile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(Quantile({4, 1, 3, 2}, 0.51), 3);
  EXPECT_DOUBLE_EQ(Quantile({4, 1, 3, 2}, 1), 4);
}

TEST(ReplayFigures, IntervalsAreJudgedWhereTheyAreWiderThanAMinute) {
  const std::vector<ReplaySite> sites = {{.processors = 4}};
  std::vector<FederationJob> jobs;
  FederationResult result;
  for (int64_t n = 0; n < 100; ++n) {
    jobs.push_back(Job(n, 10, 1));
    JobOutcome outcome = Ran(jobs.back(), n + 1000, n + 2000);
    outcome.first->expected = Instant{n + 1000 + (n % 2 == 0 ? 30 : 300)};
    outcome.first->low = Instant{n + 900};
    outcome.first->high = Instant{n + (n % 4 == 0 ? 950 : 1100)};
    result.jobs.push_back(outcome);
  }
  const GroupFigures all = Measure(sites, jobs, result).all;
  EXPECT_EQ(all.interval.count, 68u) << "every fourth is 50 s wide, 5 % at each end are trimmed";
  EXPECT_DOUBLE_EQ(all.interval.coverage, 1);
  EXPECT_DOUBLE_EQ(all.interval.width_over_wait, 0.2);
  EXPECT_EQ(all.forecast.count, 100u);
  EXPECT_DOUBLE_EQ(all.forecast.within_60, 0.5);
  EXPECT_DOUBLE_EQ(all.forecast.within_600, 1);
  EXPECT_DOUBLE_EQ(all.forecast.mean, 165);
}

}  // namespace
}  // namespace muster::sim
