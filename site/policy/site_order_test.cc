// Points of holds.
#include "site/policy/site_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::site {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::StrEq;

constexpr int64_t kDay = 86'400;

schemas::HoldRecord Hold(const std::string& user, int64_t cpus, int64_t seconds) {
  schemas::HoldRecord hold;
  hold.order.requester.user = user;
  hold.order.requester.groups = {"weather"};
  hold.order.parts = {
      {.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}}, .duration = Span{seconds}}};
  return hold;
}

policy::PointsRules Weighing(policy::Factor factor, int64_t weight = 1000) {
  policy::PointsRules rules;
  rules.weights[static_cast<size_t>(factor)] = weight;
  return rules;
}

class Order : public ::testing::Test {
 protected:
  void Begin(int64_t seconds, policy::SharesNow shares = {}) {
    order_->Begin(Moment{seconds * 1000}, std::move(shares));
  }
  std::optional<SiteOrder> order_;
};

TEST_F(Order, WithoutRulesAllHaveNoPoints) {
  const SiteOrder order(std::nullopt, {.procs = 8});
  EXPECT_FALSE(order.by_points());
  EXPECT_FALSE(order.IsDue(Moment{kDay}));
  EXPECT_EQ(order.Next(), std::nullopt);
  EXPECT_EQ(order.PointsOf(Hold("kim", 4, 60)), 0);
  EXPECT_THAT(order.RowsOf(Hold("kim", 4, 60)), IsEmpty());
}

TEST_F(Order, SizesAreOfWhatTheSiteHas) {
  order_.emplace(Weighing(policy::Factor::kProcs), policy::Largest{.procs = 8});
  Begin(0);
  EXPECT_EQ(order_->PointsOf(Hold("kim", 4, 60)), 500);
  EXPECT_EQ(order_->PointsOf(Hold("kim", 8, 60)), 1000);
}

TEST_F(Order, AWaitCountsFromWhenTheRequestBeganToWaitUpToTheTimeOfTheGrid) {
  order_.emplace(Weighing(policy::Factor::kQueue), policy::Largest{});
  schemas::HoldRecord hold = Hold("kim", 1, 60);
  Begin(kDay + 59);
  EXPECT_EQ(order_->PointsOf(hold), 0);  // nothing is known of its wait
  hold.order.waits_since = Moment{kDay / 2 * 1000};
  EXPECT_EQ(order_->PointsOf(hold), 500);
  EXPECT_FALSE(order_->IsDue(Moment{(kDay + 59) * 1000}));
  EXPECT_EQ(order_->Next(), Moment{(kDay + 60) * 1000});
  EXPECT_TRUE(order_->IsDue(Moment{(kDay + 60) * 1000}));
}

TEST_F(Order, ATargetIsMissedByThePlanBeforeItIsMissed) {
  order_.emplace(Weighing(policy::Factor::kTarget), policy::Largest{});
  schemas::HoldRecord hold = Hold("kim", 1, 60);
  hold.order.waits_since = Moment{0};
  hold.order.target = Span{3600};
  hold.start = Instant{2700};
  Begin(60);
  EXPECT_EQ(order_->PointsOf(hold), 500);
}

TEST_F(Order, CredentialsHavePointsByName) {
  policy::PointsRules rules = Weighing(policy::Factor::kCred);
  rules.credentials = {{"kim", 100}, {"@weather", 200}, {"account chem", -50}, {"queue high", 500}};
  order_.emplace(rules, policy::Largest{});
  Begin(0);
  schemas::HoldRecord hold = Hold("kim", 1, 60);
  EXPECT_EQ(order_->PointsOf(hold), 300);
  hold.order.account = "chem";
  hold.order.queue = "high";
  EXPECT_EQ(order_->PointsOf(hold), 750);
}

TEST_F(Order, WhatTheMetaSaysOfSharesCountsFromTheNextBeginOn) {
  order_.emplace(Weighing(policy::Factor::kFsGlobal), policy::Largest{});
  Begin(0);
  const schemas::HoldRecord hold = Hold("kim", 1, 60);
  order_->Hear({.rows = {{"@weather", -400}, {"kim", 300}}});
  EXPECT_TRUE(order_->IsDue(Moment{1000}));
  Begin(1);
  EXPECT_EQ(order_->PointsOf(hold), 300);  // the user's own share goes before the group's
  order_->Hear({.rows = {{"@weather", -400}}});
  Begin(2);
  EXPECT_EQ(order_->PointsOf(hold), -400);  // the newest counts whole
  order_->Hear({.rows = {{"@weather", -400}}});
  EXPECT_FALSE(order_->IsDue(Moment{3000}));
}

TEST_F(Order, WhoIsUnderTheFloorOfALocalShareGoesBeforeAllOthers) {
  order_.emplace(Weighing(policy::Factor::kFsLocal), policy::Largest{});
  Begin(0, {{"@weather", {.part = {.counts = 100'000}, .value = 250, .under_floor = true}},
            {"ana", {.part = {.counts = 900'000}, .value = -800}}});
  EXPECT_EQ(order_->PointsOf(Hold("kim", 1, 60)), policy::kFloorFirst + 250);
  EXPECT_EQ(order_->PointsOf(Hold("ana", 1, 60)), -800);
  EXPECT_THAT(order_->RowsOf(Hold("kim", 1, 60)),
              ElementsAre(Field("because", &schemas::PriorityRow::because,
                                StrEq("@weather has 10.0 % of this site")),
                          Field("factor", &schemas::PriorityRow::factor, StrEq("floor"))));
}

}  // namespace
}  // namespace muster::site
