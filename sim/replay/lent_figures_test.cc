// Who may be recalled in a replay, and what that is told to have cost.
#include "sim/replay/lent_figures.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::sim {
namespace {

FederationJob JobOf(int64_t user, int64_t submitted, int64_t runs, std::vector<int64_t> parts) {
  return {.submitted = {submitted},
          .asks = Span{2 * runs},
          .runs = Span{runs},
          .parts = std::move(parts),
          .user = user};
}

TEST(LentFigures, UsersAreDrawnWholeAndOnlyJobsOfOnePartMayBeRecalled) {
  std::vector<FederationJob> jobs;
  for (int64_t i = 0; i < 2'000; ++i) jobs.push_back(JobOf(i % 200, i, 10, {1}));
  jobs.push_back(JobOf(0, 2'000, 10, {1, 1}));
  std::vector<ReplaySite> sites(1);
  ASSERT_TRUE(GiveContracts({.recallable = 500, .recall = "requeue"}, jobs, sites).ok());
  EXPECT_EQ(sites[0].site.lends_to, std::vector<std::string>{"*"});
  std::map<int64_t, bool> users;
  size_t recallable = 0;
  for (size_t i = 0; i < 2'000; ++i) {
    EXPECT_EQ(users.try_emplace(jobs[i].user, jobs[i].recallable).first->second,
              jobs[i].recallable);
    recallable += jobs[i].recallable ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(recallable), 1'000, 200);
  EXPECT_FALSE(jobs.back().recallable);
}

TEST(LentFigures, WithoutAWayTheUsersAreTheSameAndNobodyLends) {
  std::vector<FederationJob> without = {JobOf(1, 0, 10, {1}), JobOf(2, 0, 10, {1})};
  std::vector<FederationJob> with = without;
  std::vector<ReplaySite> sites(1);
  ASSERT_TRUE(GiveContracts({.recallable = 500}, without, sites).ok());
  EXPECT_TRUE(sites[0].site.lends_to.empty());
  ASSERT_TRUE(GiveContracts({.recallable = 500, .recall = "checkpoint"}, with, sites).ok());
  for (size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].recallable, without[i].recallable);
  EXPECT_FALSE(GiveContracts({.recall = "freeze"}, with, sites).ok());
}

TEST(LentFigures, WhatIsKeptForInteractiveJobsIsAPool) {
  std::vector<ReplaySite> sites(2);
  KeepForInteractive(0, true, sites);
  EXPECT_TRUE(sites[0].site.rules.pools.empty());
  KeepForInteractive(20, true, sites);
  for (const ReplaySite& site : sites) {
    ASSERT_EQ(site.site.rules.pools.size(), 1u);
    const rules::Pool& pool = site.site.rules.pools[0];
    EXPECT_EQ(pool.keep.Of(100), 20);
    EXPECT_TRUE(pool.lend);
    const ResourceSet none;
    const std::map<std::string, std::string> nothing;
    EXPECT_TRUE(Holds(pool.open_to, {.user = "kim",
                                     .groups = {},
                                     .amounts = none,
                                     .properties = nothing,
                                     .interactive = true}));
    EXPECT_FALSE(
        Holds(pool.open_to, {.user = "kim", .groups = {}, .amounts = none, .properties = nothing}));
  }
}

// Two jobs of 100 s on one processor: one waited for 50 s, and was recalled once after 20 s.
TEST(LentFigures, DelayIsWhatIsNotRunAndLostWorkIsAShareOfWhatWasDone) {
  std::vector<FederationJob> jobs = {JobOf(1, 0, 100, {1}), JobOf(2, 0, 100, {1})};
  jobs[0].recallable = true;
  FederationResult result;
  result.jobs.resize(2);
  result.jobs[0] = {.fate = JobFate::kEnded, .start = Instant{50}, .end = Instant{150}};
  result.jobs[0].recalls = 1;
  result.jobs[0].lost = 20;
  result.jobs[1] = {.fate = JobFate::kEnded, .start = Instant{10}, .end = Instant{110}};
  const LentFigures figures = MeasureLent(jobs, result);
  EXPECT_EQ(figures.recallable, 1u);
  EXPECT_EQ(figures.recalls, 1u);
  EXPECT_DOUBLE_EQ(figures.lost, 0.1);
  EXPECT_DOUBLE_EQ(figures.delay, 30);
  EXPECT_DOUBLE_EQ(figures.delay_recallable, 50);
  EXPECT_DOUBLE_EQ(figures.delay_others, 10);
}

}  // namespace
}  // namespace muster::sim
