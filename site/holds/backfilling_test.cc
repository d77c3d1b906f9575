// Which holds are tried when; the test plays the plan.
#include "site/holds/backfilling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"
#include "site/plan/plan.h"

namespace muster::site {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Came = Backfilling::Came;
using Try = Backfilling::Try;

constexpr uint64_t kNothing = 0;  // looks

Fence F(uint64_t number) { return {{1}, number}; }

schemas::HoldOrder Wants(uint64_t number, uint32_t sets, int64_t cpus, int64_t seconds,
                         int32_t priority = 0) {
  schemas::HoldOrder order{.fence = F(number), .priority = priority};
  order.parts = {
      {.chunks = {{.count = sets, .resources = {{"ncpus", cpus}}}}, .duration = Span{seconds}}};
  return order;
}

class Passes : public ::testing::Test {
 protected:
  // One turn; returns the tries, each of which gets this answer.
  std::vector<Try> Turn(int64_t free, Came came = Came::kStays, uint64_t looks = kNothing) {
    return Turn(free, [came](const Try&) { return came; }, looks);
  }
  template <typename Say>
  std::vector<Try> Turn(int64_t free, Say say, uint64_t looks = kNothing) {
    std::vector<Try> tried;
    backfilling_.Begin(at_, {{"ncpus", free}});
    while (const auto next = backfilling_.Next()) {
      tried.push_back(*next);
      const Came came = say(*next);
      if (came == Came::kMoved) ++plan_.value;
      backfilling_.Answer(came, looks);
    }
    backfilling_.End(plan_, paced_);
    return tried;
  }
  // Advances to the next due turn; false if none is due.
  bool Rest() {
    const auto next = backfilling_.NextDue();
    if (next) at_ = std::max(at_, *next);
    return next.has_value();
  }
  void Free() {
    ++plan_.value;
    backfilling_.Freed(plan_);
  }
  static std::vector<uint64_t> Numbers(const std::vector<Try>& tries, bool at_once) {
    std::vector<uint64_t> out;
    for (const Try& one : tries) {
      if (one.at_once == at_once) out.push_back(one.fence.number);
    }
    return out;
  }

  Backfilling backfilling_{SitePolicy(), false, false};
  PlanRevision plan_{1};
  BootInstant at_{1000};
  bool paced_ = true;
};

TEST_F(Passes, NothingIsTriedBeforeSomethingIsGivenBack) {
  backfilling_.Enter(Wants(1, 1, 4, 60));
  EXPECT_FALSE(backfilling_.NextDue());
  EXPECT_FALSE(backfilling_.IsDue(at_));
  Free();
  EXPECT_TRUE(backfilling_.IsDue(at_));
}

TEST_F(Passes, WhoMayStartAtOnceIsTriedByRankThenAllAre) {
  backfilling_.Enter(Wants(1, 1, 4, 60));
  backfilling_.Enter(Wants(2, 1, 2, 60, 7));
  backfilling_.Enter(Wants(3, 1, 1, 60));
  Free();
  EXPECT_THAT(Turn(2), ElementsAre(Try{F(2), true}, Try{F(3), true}, Try{F(2), false},
                                   Try{F(1), false}, Try{F(3), false}));
  EXPECT_FALSE(backfilling_.NextDue());
}

TEST_F(Passes, PointsGoBeforeUrgencyAndYieldingGoesByUrgencyAlone) {
  backfilling_.Enter(Wants(1, 1, 4, 60, 9), -10);
  backfilling_.Enter(Wants(2, 1, 4, 60, 1), 50);
  backfilling_.Enter(Wants(3, 1, 4, 60, 5), 0);
  EXPECT_THAT(backfilling_.InOrder(), ElementsAre(F(2), F(3), F(1)));
  std::vector<uint64_t> yielding;
  backfilling_.LeastUrgentFirst([&](const Fence& fence) {
    yielding.push_back(fence.number);
    return true;
  });
  EXPECT_THAT(yielding, ElementsAre(2, 3, 1));
  backfilling_.Reorder(F(1), 100);
  backfilling_.Reorder(F(7), 100);  // no effect: it is not there
  EXPECT_THAT(backfilling_.InOrder(), ElementsAre(F(1), F(2), F(3)));
  backfilling_.Leave(F(2));
  EXPECT_THAT(backfilling_.InOrder(), ElementsAre(F(1), F(3)));
}

// Hold 3 comes to stand before where the round has got to.
TEST_F(Passes, WhoIsReorderedDuringARoundIsTriedInItAllTheSame) {
  for (uint64_t i = 1; i <= 3; ++i) backfilling_.Enter(Wants(i, 1, 4, 60));
  Free();
  const uint64_t half = kPassLooks / 2;
  EXPECT_THAT(Numbers(Turn(0, Came::kStays, half), false), ElementsAre(1, 2));
  backfilling_.Reorder(F(3), 10);
  ASSERT_TRUE(Rest());
  EXPECT_THAT(Numbers(Turn(0), false), ElementsAre(3, 1, 2));
  EXPECT_FALSE(backfilling_.NextDue());
}

TEST_F(Passes, OfAlikeOnesThoseWithMoreForLongerAreNotTriedAfterARefusal) {
  backfilling_.Enter(Wants(1, 2, 1, 600));
  backfilling_.Enter(Wants(2, 3, 1, 600));  // more
  backfilling_.Enter(Wants(3, 2, 1, 900));  // longer
  backfilling_.Enter(Wants(4, 2, 1, 300));
  backfilling_.Enter(Wants(5, 1, 1, 900));
  backfilling_.Enter(Wants(6, 1, 2, 900));  // another kind
  backfilling_.Enter(Wants(7, 1, 1, 901));
  Free();
  EXPECT_THAT(Numbers(Turn(8), true), ElementsAre(1, 4, 5, 6));
}

TEST_F(Passes, WithRulesAnotherUsersRefusalSaysNothing) {
  Backfilling ruled(SitePolicy(), true, false);
  for (uint64_t i = 1; i <= 2; ++i) {
    schemas::HoldOrder order = Wants(i, 1, 1, 60);
    order.requester.user = "user" + std::to_string(i);
    ruled.Enter(order);
  }
  ruled.Freed({5});
  ruled.Begin(at_, {{"ncpus", 9}});
  EXPECT_EQ(ruled.Next(), (Try{F(1), true}));
  ruled.Answer(Came::kStays, 0);
  EXPECT_EQ(ruled.Next(), (Try{F(2), true}));
}

TEST_F(Passes, EverybodyIsReachedWhateverIsGivenBackMeanwhile) {
  for (uint64_t i = 1; i <= 1000; ++i) backfilling_.Enter(Wants(i, 1, 4, 60));
  std::set<uint64_t> reached;
  for (int turn = 0; turn < 20; ++turn) {
    Free();
    for (const uint64_t number : Numbers(Turn(0), false)) reached.insert(number);
    ASSERT_TRUE(Rest());
  }
  EXPECT_THAT(reached, SizeIs(1000));
}

TEST_F(Passes, AllEndsAfterAWholeRoundWithoutAChange) {
  for (uint64_t i = 1; i <= 100; ++i) backfilling_.Enter(Wants(i, 1, 4, 60));
  Free();
  std::vector<uint64_t> tried;
  bool moves = true;
  do {
    const auto say = [&moves](const Try& one) {
      return one.fence == F(70) && std::exchange(moves, false) ? Came::kMoved : Came::kStays;
    };
    for (const uint64_t number : Numbers(Turn(0, say), false)) tried.push_back(number);
  } while (Rest());
  ASSERT_THAT(tried, SizeIs(170));
  EXPECT_EQ(tried[99], 100u);
  EXPECT_EQ(tried[100], 1u);
  EXPECT_EQ(tried.back(), 70u);
}

TEST_F(Passes, AMoveGivesWhatWasThereToWhoMayStartAtOnce) {
  backfilling_.Enter(Wants(1, 1, 4, 60));
  backfilling_.Enter(Wants(2, 1, 4, 60));
  Free();
  const auto say = [](const Try& one) {
    return one.fence == F(2) && !one.at_once ? Came::kMoved : Came::kStays;
  };
  EXPECT_THAT(Numbers(Turn(4, say), true), ElementsAre(1));
  ASSERT_TRUE(Rest());
  EXPECT_THAT(Numbers(Turn(4), true), ElementsAre(1));
}

TEST_F(Passes, APlanThatAWholeRoundCouldNotBetterIsNotTriedAgain) {
  backfilling_.Enter(Wants(1, 1, 4, 60));
  Free();
  Turn(0);
  backfilling_.Freed(plan_);
  EXPECT_FALSE(backfilling_.NextDue()) << "the same plan";
  backfilling_.Renamed(plan_, {plan_.value + 1});
  backfilling_.Freed({++plan_.value});
  EXPECT_FALSE(backfilling_.NextDue()) << "the same by another name";
  backfilling_.Enter(Wants(2, 1, 4, 60));
  backfilling_.Freed(plan_);
  EXPECT_TRUE(backfilling_.NextDue()) << "somebody else";
}

TEST_F(Passes, WhoWaitedIsTriedOnceItMayBeThoughThePlanIsTheSame) {
  backfilling_.Enter(Wants(1, 1, 4, 60));
  Free();
  Turn(0, Came::kWaits);
  EXPECT_FALSE(backfilling_.NextDue());
  backfilling_.Freed(plan_);
  at_.milliseconds += 1000;
  EXPECT_THAT(Turn(0), ElementsAre(Try{F(1), false}));
}

TEST_F(Passes, AllHasAThirdOfTheTimeAndNowDoesNotWait) {
  for (uint64_t i = 1; i <= 200; ++i) backfilling_.Enter(Wants(i, 1, 4, 60));
  Free();
  const uint64_t looks = plan::kLooksPerMillisecond / 32 - kTryLooks;
  EXPECT_THAT(Turn(0, Came::kStays, looks), SizeIs(kTriesPerTurn));  // 2 ms
  EXPECT_FALSE(backfilling_.IsDue({at_.milliseconds + 3}));
  EXPECT_TRUE(backfilling_.IsDue({at_.milliseconds + 5}));
  at_.milliseconds += 2;
  Free();
  EXPECT_THAT(Turn(4), ElementsAre(Try{F(1), true}));
  EXPECT_FALSE(backfilling_.IsDue(at_));
}

TEST_F(Passes, ATurnEndsWithItsTriesOrItsLooks) {
  for (uint64_t i = 1; i <= 200; ++i) backfilling_.Enter(Wants(i, 1, 4, 60));
  Free();
  EXPECT_THAT(Turn(0, Came::kStays, kPassLooks / 10 - kTryLooks), SizeIs(10));
}

TEST_F(Passes, NowGoesOnWhereItsTurnEnded) {
  for (uint64_t i = 1; i <= 30; ++i) backfilling_.Enter(Wants(i, 1, 4, 100 - int64_t(i)));
  Free();
  EXPECT_THAT(Numbers(Turn(4, Came::kStays, kPassLooks / 20 - kTryLooks), true), SizeIs(20));
  EXPECT_TRUE(backfilling_.IsDue(at_)) << "in the next turn, which comes at once";
  EXPECT_THAT(Numbers(Turn(4, Came::kStays, kNothing), true), SizeIs(10));
}

TEST_F(Passes, WithoutAPaceNothingRests) {
  paced_ = false;
  for (uint64_t i = 1; i <= 1000; ++i) backfilling_.Enter(Wants(i, 1, 4, 60));
  Free();
  size_t turns = 0;
  for (; backfilling_.IsDue(at_); ++turns) Turn(0);
  EXPECT_EQ(turns, (1000 + kTriesPerTurn) / kTriesPerTurn);
}

// Whatever holds come and go, each pass ends, and every hold that has not moved by then was tried
// at the plan's last state.
TEST_F(Passes, WhateverComesAndGoesTheyEndAndNobodyIsLeftOut) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    backfilling_ = Backfilling(SitePolicy(), random.Chance(500), false);
    std::map<uint64_t, int> possible;  // moves that the plan still allows, by hold
    uint64_t last = 0;
    int turns = 0;
    const auto say = [&](const Try& one) {
      int& left = possible.at(one.fence.number);
      if (left == 0) return Came::kStays;
      --left;
      return Came::kMoved;
    };
    for (int step = 0; step < 60; ++step) {
      for (uint64_t n = random.Below(20); n > 0; --n) {
        possible[++last] = static_cast<int>(random.Below(3));
        backfilling_.Enter(Wants(last, 1 + uint32_t(random.Below(3)), 1, random.Between(1, 5),
                                 int32_t(random.Below(3))));
      }
      for (uint64_t n = random.Below(5); n > 0 && !possible.empty(); --n) {
        const auto gone = possible.lower_bound(1 + random.Below(last));
        if (gone == possible.end()) continue;
        backfilling_.Leave(F(gone->first));
        possible.erase(gone);
      }
      for (const auto& [number, left] : possible) {
        if (random.Chance(50)) backfilling_.Reorder(F(number), random.Between(-2, 2));
      }
      if (random.Chance(300)) Free();
      if (Rest() && random.Chance(700)) Turn(random.Between(0, 3), say, random.Below(20'000));
    }
    Free();
    while (Rest()) {
      Turn(2, say);
      ASSERT_LT(++turns, 10'000) << "seed " << seed;
    }
    for (const auto& [number, left] : possible) ASSERT_EQ(left, 0) << number << ", seed " << seed;
  }
}

}  // namespace
}  // namespace muster::site
