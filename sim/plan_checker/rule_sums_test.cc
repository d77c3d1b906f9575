// Limits, FreePools, the federation's share and standing reservations: each broken by hand, and
// kept. OpenCCS Sect. 3 and its Example 1.
#include "sim/plan_checker/rule_sums.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

constexpr int64_t kAugust = 1501545600;  // 2017-08-01T00:00:00Z
constexpr int64_t kHour = 3600;

Validity InAugust() {
  return {.kind = Validity::Kind::kBetween,
          .begin = CalendarPoint{.civil = {.year = 2017, .month = 8, .day = 1}},
          .end = {.civil = {.year = 2017, .month = 8, .day = 31}}};
}

Condition Less(const std::string& resource, int64_t than) {
  return Condition({.subject = Comparison::Subject::kAmount,
                    .op = Comparison::Operator::kLess,
                    .name = resource,
                    .numbers = {than}});
}
Condition Shorter(int64_t than) {
  return Condition({.subject = Comparison::Subject::kDuration,
                    .op = Comparison::Operator::kLess,
                    .numbers = {than}});
}

class Rules : public ::testing::Test {
 protected:
  Rules() {
    for (const char* name : {"n1", "n2", "n3", "n4"}) {
      facts.nodes.push_back({.name = name, .has = {{"ncpus", 25}, {"ngpus", 1}}});
    }
  }

  BookedOrder& Book(const std::string& user, int64_t cpus, int64_t begin, int64_t seconds,
                    std::vector<std::string> groups = {}) {
    const std::string name = std::to_string(orders.size() + 1);
    BookedPart part{.name = name,
                    .span = {{begin}, {begin + seconds}},
                    .duration = {seconds},
                    .wanted = {{1, {{"ncpus", cpus}}, {}}},
                    .placed = {{"n1", {{"ncpus", cpus}}}}};
    return orders[name] = {.name = name,
                           .chain = name,
                           .user = user,
                           .groups = std::move(groups),
                           .parts = {std::move(part)}};
  }
  std::vector<Breach> Found(int64_t from = 0) {
    std::set<std::string> users;
    for (const auto& [name, order] : orders) users.insert(order.user);
    std::vector<Breach> out;
    for (const Violation& v : CheckRules(facts, orders, users, {from})) out.push_back(v.breach);
    orders.clear();
    return out;
  }
  using Only = std::vector<Breach>;
  PlanFacts facts;
  OrdersByName orders;
};

TEST_F(Rules, ItemsBeyondAUsersLimitAtOneInstantAreFound) {
  facts.limits = {{.resource = "ncpus", .items = ItemsFacts{.count = 4}}};
  Book("kim", 3, 0, 100);
  Book("kim", 2, 99, 100);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 3, 0, 100);
  Book("kim", 2, 100, 100);
  Book("ana", 4, 0, 100);
  EXPECT_EQ(Found(), Only{}) << "each user for itself, one after the other";
}

TEST_F(Rules, TheLargerOfACountAndAShareIsTheLimit) {
  facts.limits = {{.resource = "ncpus", .items = ItemsFacts{.count = 30, .percent = 45}}};
  Book("kim", 45, 0, 100);
  EXPECT_EQ(Found(), Only{}) << "45 % of 100";
  Book("kim", 46, 0, 100);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
}

TEST_F(Rules, ALimitOfAGroupIsOfAllItsMembersTogether) {
  facts.limits = {{.who = "@s", .resource = "ncpus", .items = ItemsFacts{.count = 4}}};
  Book("kim", 3, 0, 100, {"s"});
  Book("ana", 2, 0, 100, {"s"});
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 3, 0, 100, {"s"});
  Book("ana", 2, 0, 100, {"t"});
  EXPECT_EQ(Found(), Only{});
}

TEST_F(Rules, TheNearestLimitCounts) {
  facts.limits = {{.resource = "ncpus", .items = ItemsFacts{.count = 2}},
                  {.who = "@s", .resource = "ncpus", .items = ItemsFacts{.count = 4}},
                  {.who = "kim", .resource = "*", .items = ItemsFacts{.count = 6}},
                  {.who = "kim", .resource = "ngpus", .items = ItemsFacts{.count = 1}}};
  Book("kim", 6, 0, 100, {"s"}).parts[0].wanted[0].resources.Set("ngpus", 1);
  Book("ana", 4, 0, 100, {"s"});
  Book("bo", 2, 0, 100);
  EXPECT_EQ(Found(), Only{});
  Book("kim", 7, 0, 100, {"s"});
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 1, 0, 100).parts[0].wanted[0].resources.Set("ngpus", 2);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("bo", 3, 0, 100);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
}

// Example 1: outside August the limit of "*" counts for ncpus too.
TEST_F(Rules, ALimitCountsWhileItIsValidAndTheOneOfAllResourcesElse) {
  facts.limits = {{.resource = "*", .duration = Span{7 * 24 * kHour}},
                  {.resource = "ncpus",
                   .items = ItemsFacts{.count = 10},
                   .duration = Span{99 * kHour},
                   .valid = InAugust()}};
  Book("kim", 11, kAugust, kHour);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 11, kAugust - kHour, kHour);
  EXPECT_EQ(Found(), Only{}) << "July";
  Book("kim", 1, kAugust, 100 * kHour);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 1, kAugust - 100 * kHour, 100 * kHour);
  EXPECT_EQ(Found(), Only{});
  Book("kim", 1, kAugust - 200 * kHour, 169 * kHour);
  EXPECT_EQ(Found(), Only{Breach::kLimit}) << "seven days are 168 hours";
}

TEST_F(Rules, TheAreaOfAllThatIsPlannedIsCounted) {
  facts.limits = {{.resource = "ncpus", .area = 1000 * kHour}};
  Book("kim", 1, 0, 1000 * kHour);
  EXPECT_EQ(Found(), Only{});
  Book("kim", 10, 0, 50 * kHour);
  Book("kim", 10, 60 * kHour, 51 * kHour);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 10, 0, 50 * kHour);
  Book("kim", 10, 60 * kHour, 51 * kHour);
  EXPECT_EQ(Found(2 * kHour), Only{}) << "what is over does not count";
}

TEST_F(Rules, JobsAndElementsOfArraysAreCounted) {
  facts.limits = {{.resource = "jobs", .items = ItemsFacts{.count = 2}},
                  {.resource = "arrayjobs", .items = ItemsFacts{.count = 1}}};
  for (int i = 0; i < 3; ++i) Book("kim", 1, 10 * i, 100);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  for (int i = 0; i < 2; ++i) Book("kim", 1, 10 * i, 100).element = true;
  EXPECT_EQ(Found(), Only{Breach::kLimit});
  Book("kim", 1, 0, 100).element = true;
  Book("kim", 1, 0, 100);
  EXPECT_EQ(Found(), Only{});
}

TEST_F(Rules, ASoftLimitLeavesAloneWhatStartedAtOnce) {
  facts.limits = {{.resource = "ncpus", .items = ItemsFacts{.count = 4}, .soft = true}};
  Book("kim", 8, 0, 100).at_once = true;
  Book("kim", 4, 50, 100);
  EXPECT_EQ(Found(), Only{});
  Book("kim", 5, 50, 100);
  EXPECT_EQ(Found(), Only{Breach::kLimit});
}

// "Keep free 20% of the available cores but at minimum 10 cores for jobs which request less than
// four cores for less than one hour."
TEST_F(Rules, WhatAPoolKeepsFreeIsFreeOfThoseWhoAreNotOfIt) {
  facts.pools = {{.name = "quick",
                  .resource = "ncpus",
                  .keep = {.count = 10, .percent = 20},
                  .open_to = Condition::And(Less("ncpus", 4), Shorter(kHour))}};
  Book("kim", 80, 0, kHour);
  for (int i = 0; i < 6; ++i) Book("ana", 3, 0, kHour - 1);
  EXPECT_EQ(Found(), Only{});
  Book("kim", 78, 0, kHour);
  Book("ana", 3, 0, kHour);
  EXPECT_EQ(Found(), Only{Breach::kPool}) << "an hour is not less than one";
  Book("kim", 77, 0, kHour - 1);
  Book("ana", 4, 0, kHour - 1);
  EXPECT_EQ(Found(), Only{Breach::kPool});
}

TEST_F(Rules, WholeNodesAreTakenWhollyFromAPool) {
  facts.pools = {
      {.name = "quick", .resource = "ngpus", .keep = {.count = 4}, .open_to = Shorter(kHour)}};
  Book("kim", 1, 0, 2 * kHour);
  EXPECT_EQ(Found(), Only{}) << "it takes no gpu";
  Book("kim", 1, 0, 2 * kHour).parts[0].exclusive = true;
  EXPECT_EQ(Found(), Only{Breach::kPool});
}

TEST_F(Rules, APartitionTakesItsUnitsThatHostNothingToo) {
  facts.pools = {
      {.name = "quick", .resource = "ngpus", .keep = {.count = 2}, .open_to = Shorter(kHour)}};
  for (const bool larger : {false, true}) {
    BookedPart& part = Book("kim", 1, 0, 2 * kHour).parts[0];
    part.exclusive = true;
    part.bare = {"n2"};
    if (larger) part.bare.push_back("n3");
    EXPECT_EQ(Found(), larger ? Only{Breach::kPool} : Only{});
  }
}

TEST_F(Rules, MoreThanTheFederationsShareIsFound) {
  facts.federation_percent = 80;
  Book("kim", 81, 0, 100);
  EXPECT_EQ(Found(), Only{}) << "the site's own may take it all";
  Book("kim", 40, 0, 100).federated = true;
  Book("ana", 41, 50, 100).federated = true;
  EXPECT_EQ(Found(), Only{Breach::kLimit});
}

TEST_F(Rules, AStandingReservationIsForThoseAllowed) {
  facts.standing = {{.name = "course", .nodes = {"n1"}, .allow = {"@s"}, .valid = InAugust()}};
  Book("kim", 1, kAugust, 100);
  EXPECT_EQ(Found(), Only{Breach::kReservation});
  Book("kim", 1, kAugust, 100, {"s"});
  Book("ana", 1, kAugust - 100, 100);
  Book("ana", 1, kAugust, 100).parts[0].placed[0].node = "n2";
  EXPECT_EQ(Found(), Only{});
}

TEST_F(Rules, AChainCountsAsItsMaximum) {
  facts.limits = {{.resource = "ncpus", .items = ItemsFacts{.count = 4}}};
  Book("kim", 4, 0, 100).chain = "c";
  Book("kim", 3, 0, 100).chain = "c";
  EXPECT_EQ(Found(), Only{});
}

}  // namespace
}  // namespace muster::sim
