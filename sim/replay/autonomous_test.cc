// The autonomous scheduler: plans by counts, sends without asking, sends again what is rejected.
// CCS Sect. 4.1, scheduling.md section 10.
#include "sim/replay/autonomous.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::sim {
namespace {

// One site of 8 processors, and what was sent to it.
class OneSite {
 public:
  explicit OneSite(std::optional<Span> threshold, packing::Algorithm packing, Span turnover = {})
      : scheduler_(
            {.sites = {{"hills", 8, turnover}}, .threshold = threshold, .packing = packing}) {}

  void Submit(size_t number, int64_t processors, int64_t asks) {
    scheduler_.Submit(number,
                      {.processors = processors, .asks = Span{asks}, .home = {}, .sites = {0}},
                      now_, enters_);
    scheduler_.Timers(now_, send_, enters_);
  }
  void GoTo(int64_t now) {
    now_ = Instant{now};
    scheduler_.Timers(now_, send_, enters_);
  }
  void End(size_t number, int64_t now) {
    now_ = Instant{now};
    scheduler_.End(number, now_);
    scheduler_.AfterEnds(now_, send_, enters_);
    scheduler_.Timers(now_, send_, enters_);
  }

  bool takes = true;                  // what the machine says
  std::map<size_t, int64_t> planned;  // on entering, by request
  std::map<size_t, int64_t> started;
  size_t sent = 0;
  const AutonomousScheduler& scheduler() const { return scheduler_; }

 private:
  const AutonomousScheduler::Send send_ = [this](size_t number, size_t) {
    ++sent;
    if (takes) started[number] = now_.seconds;
    return takes;
  };
  const AutonomousScheduler::Enters enters_ = [this](size_t number, Instant at) {
    planned[number] = at.seconds;
  };
  AutonomousScheduler scheduler_;
  Instant now_{100};
};

TEST(Autonomous, WithoutAThresholdEveryRequestIsPlannedByCountsWhenItComes) {
  OneSite site(std::nullopt, packing::Algorithm::kFcfsStar);
  site.Submit(1, 6, 50);
  site.Submit(2, 6, 50);
  site.Submit(3, 2, 50);
  site.Submit(4, 2, 60);
  EXPECT_EQ(site.planned, (std::map<size_t, int64_t>{{1, 100}, {2, 150}, {3, 100}, {4, 150}}));
  EXPECT_EQ(site.started, (std::map<size_t, int64_t>{{1, 100}, {3, 100}}));
  EXPECT_EQ(site.scheduler().Next(), Instant{150});
}

TEST(Autonomous, WhatIsRejectedIsSentAgainWhenSomethingEndsAndKeepsItsCountInThePlan) {
  OneSite site(std::nullopt, packing::Algorithm::kFcfsStar);
  site.Submit(1, 2, 50);
  site.takes = false;
  site.Submit(2, 4, 100);
  EXPECT_EQ(site.planned.at(2), 100);
  EXPECT_FALSE(site.started.contains(2));
  site.takes = true;
  site.Submit(3, 4, 10);
  EXPECT_EQ(site.planned.at(3), 150) << "by counts four of the six are the rejected one's";
  site.GoTo(120);
  EXPECT_FALSE(site.started.contains(2)) << "nothing ended";
  site.End(1, 150);
  EXPECT_EQ(site.started.at(2), 150);
}

TEST(Autonomous, WhatIsRejectedInLevelsIsSentAtTheNextSchedulingPointToo) {
  OneSite site(Span{0}, packing::Algorithm::kFfdhStar);
  site.Submit(1, 8, 100);
  EXPECT_EQ(site.started.at(1), 100);
  site.Submit(2, 8, 50);
  site.Submit(3, 8, 40);
  EXPECT_EQ(site.planned.at(2), 200) << "a block of its own, behind what runs";
  site.takes = false;
  site.End(1, 200);
  EXPECT_FALSE(site.started.contains(2));
  const size_t sent = site.sent;
  const std::optional<Instant> next = site.scheduler().Next();
  ASSERT_TRUE(next.has_value());
  site.takes = true;
  site.GoTo(next->seconds);
  EXPECT_GT(site.sent, sent);
  EXPECT_EQ(site.started.at(2), next->seconds);
}

TEST(Autonomous, AGapIsFilledWithinThePlanAndOthersWaitForTheNextBlock) {
  OneSite site(Span{0}, packing::Algorithm::kFfihStar);
  site.Submit(1, 6, 100);
  site.Submit(2, 6, 100);
  EXPECT_EQ(site.planned.at(2), 200);
  site.Submit(3, 2, 80);
  EXPECT_EQ(site.planned.at(3), 100) << "it ends within the plan";
  site.Submit(4, 8, 10);
  EXPECT_FALSE(site.planned.contains(4)) << "not while an entry of a block has not started";
  EXPECT_EQ(site.scheduler().Next(), Instant{200});
}

TEST(Autonomous, AfterAnEarlyEndWhatIsPlannedMovesUpByRank) {
  OneSite site(std::nullopt, packing::Algorithm::kFcfsStar);
  site.Submit(1, 8, 1000);
  site.Submit(2, 8, 100);
  site.Submit(3, 8, 100);
  EXPECT_EQ(site.planned.at(3), 1200);
  site.End(1, 300);
  EXPECT_EQ(site.started.at(2), 300);
  EXPECT_EQ(site.scheduler().Next(), Instant{400});
}

TEST(Autonomous, AnEntryOfABlockMovesUpInTheOrderInWhichTheBlockWasPlanned) {
  OneSite site(Span{0}, packing::Algorithm::kFfihStar);
  site.Submit(1, 8, 1000);
  site.Submit(2, 8, 100);
  EXPECT_EQ(site.planned.at(2), 1100) << "a block of its own";
  site.Submit(3, 6, 500);
  site.Submit(4, 6, 200);
  site.End(1, 300);
  EXPECT_EQ(site.started.at(2), 300);
  EXPECT_EQ(site.planned.at(4), 400) << "shortest first";
  EXPECT_EQ(site.planned.at(3), 600);
  site.End(2, 350);
  EXPECT_EQ(site.started.at(4), 350);
  EXPECT_EQ(site.scheduler().Next(), Instant{550});
}

TEST(Autonomous, ATurnoverIsBetweenPlannedJobsAndWhatHasEndedLeavesNoneBehind) {
  OneSite site(std::nullopt, packing::Algorithm::kFcfsStar, Span{2});
  site.Submit(1, 6, 50);
  site.Submit(2, 6, 50);
  site.Submit(3, 2, 50);
  EXPECT_EQ(site.planned, (std::map<size_t, int64_t>{{1, 100}, {2, 152}, {3, 100}}));
  EXPECT_EQ(site.started, (std::map<size_t, int64_t>{{1, 100}, {3, 100}}));
  site.End(1, 120);
  EXPECT_EQ(site.started.at(2), 120);
  site.Submit(4, 8, 50);
  EXPECT_EQ(site.planned.at(4), 172);
}

TEST(Autonomous, RoomLeftByWhatMovedUpIsTakenInTheSameInstant) {
  OneSite site(std::nullopt, packing::Algorithm::kFcfsStar);
  site.Submit(1, 4, 1000);
  site.Submit(2, 4, 1100);
  site.Submit(3, 6, 100);
  site.Submit(4, 4, 100);
  EXPECT_EQ(site.planned.at(3), 1200);
  EXPECT_EQ(site.planned.at(4), 1100) << "in the way of the third, which was planned before it";
  site.End(2, 200);
  EXPECT_EQ(site.started.at(4), 200);
  EXPECT_EQ(site.planned.at(3), 1200) << "as it was told";
  EXPECT_EQ(site.scheduler().Next(), Instant{1100});
}

}  // namespace
}  // namespace muster::sim
