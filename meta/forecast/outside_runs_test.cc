// What local users leave of their limits is learned by user, size and limit, at each site apart.
// protocol.md section 2 (Capacity), scheduling.md section 6.
#include "meta/forecast/outside_runs.h"

#include <gtest/gtest.h>

#include "meta/sites/site.h"

namespace muster::meta {
namespace {

class OutsideRunsTest : public ::testing::Test {
 protected:
  OutsideRunsTest() {
    for (const char* name : {"lakes", "woods"}) {
      sites_[name].name = name;
      sites_[name].capacity.emplace();
    }
  }
  static schemas::OutsideRun Of(uint64_t key, const std::string& user, int64_t begin,
                                int64_t limit) {
    return {key, user, {Instant{begin}, Instant{begin + limit}}, {{"ncpus", 4}}};
  }
  void Tell(const std::string& site, int64_t now, std::vector<schemas::OutsideRun> runs) {
    schemas::Capacity& capacity = *sites_[site].capacity;
    ++capacity.plan.value;
    capacity.outside = std::move(runs);
    learned_.Hear(sites_, Instant{now});
  }
  // `count` jobs one after another, each of which asks for 1,000 s.
  void Ran(const std::string& site, const std::string& user, int count, int64_t seconds) {
    for (int i = 0; i < count; ++i) {
      const schemas::OutsideRun run = Of(++keys_, user, now_, 1000);
      Tell(site, now_, {run});
      now_ += seconds;
      Tell(site, now_, {});
    }
  }
  // The median, of a job of `user` that begins now and asks for 1,000 s.
  int64_t Runs(const std::string& site, const std::string& user) {
    const schemas::OutsideRun run = Of(++keys_, user, now_, 1000);
    Tell(site, now_, {run});
    return learned_.RunnerOf(site, run, Instant{now_}, times_)
        .run_time.Quantile(0.5, Span{1})
        .seconds;
  }

  std::map<std::string, Site> sites_;
  OutsideRuns learned_;
  std::map<forecast::Shape, forecast::RunTime> times_;
  int64_t now_ = 1'700'000'000;
  uint64_t keys_ = 0;
};

TEST_F(OutsideRunsTest, AUsersJobsAreTakenToEndAsTheyDid) {
  Ran("lakes", "ana", 20, 100);
  EXPECT_NEAR(static_cast<double>(Runs("lakes", "ana")), 100, 25);
}

TEST_F(OutsideRunsTest, WhoUsesAWholeLimitIsTakenToUseItAgain) {
  Ran("lakes", "ana", 20, 100);
  Ran("lakes", "bob", 20, 1000);
  EXPECT_GT(Runs("lakes", "bob"), 900);
}

TEST_F(OutsideRunsTest, AUserOfTheSameNameElsewhereIsSomebodyElse) {
  for (int i = 0; i < 20; ++i) {
    Ran("lakes", "ana", 1, 100);
    Ran("woods", "ana", 1, 1000);
  }
  EXPECT_LT(Runs("lakes", "ana"), 200);
  EXPECT_GT(Runs("woods", "ana"), 900);
}

TEST_F(OutsideRunsTest, ASiteThatBeganAnewMayUseItsKeysAndRevisionsAgain) {
  Ran("lakes", "ana", 20, 1000);
  Tell("lakes", now_, {Of(1, "ana", now_, 1000)});
  sites_["lakes"].HearAs({7});
  --sites_["lakes"].capacity->plan.value;
  const schemas::OutsideRun run = Of(1, "bob", now_ += 100, 500);
  Tell("lakes", now_, {run});
  const auto told = learned_.RunnerOf("lakes", run, Instant{now_}, times_);
  EXPECT_LE(told.run_time.Quantile(1, Span{1}).seconds, 500);
  EXPECT_GT(Runs("lakes", "ana"), 900);  // the old job of this key was not taken for a short one
}

TEST_F(OutsideRunsTest, AJobThatIsToldAgainHasNotEnded) {
  Ran("lakes", "ana", 20, 1000);
  const schemas::OutsideRun run = Of(++keys_, "ana", now_, 1000);
  for (int i = 0; i < 50; ++i) Tell("lakes", now_ += 10, {run});
  EXPECT_GT(Runs("lakes", "ana"), 900);
}

TEST_F(OutsideRunsTest, OneThatRunsOverItsLimitEndsAtTheEndThatIsTold) {
  schemas::OutsideRun run = Of(++keys_, "ana", now_, 1000);
  Tell("lakes", now_, {run});
  now_ += 1200;
  run.when.end = Instant{now_ + 60};
  Tell("lakes", now_, {run});
  const forecast::Runner runner = learned_.RunnerOf("lakes", run, Instant{now_}, times_);
  EXPECT_EQ(runner.elapsed, Span{1200});
  EXPECT_GT(runner.run_time.Quantile(0.5, runner.elapsed), Span{1200});
  EXPECT_LE(runner.run_time.Quantile(0.999, runner.elapsed), Span{1260});
}

}  // namespace
}  // namespace muster::meta
