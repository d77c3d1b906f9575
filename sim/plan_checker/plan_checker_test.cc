// Plants faults of every class in a plan by hand: the checker finds each, and is silent about the
// same plan without the fault.
#include "sim/plan_checker/plan_checker.h"

#include <gtest/gtest.h>

#include <utility>

namespace muster::sim {
namespace {

PlanFacts TwoSwitches() {
  PlanFacts facts;
  for (const char* name : {"n1", "n2", "n3", "n4"}) {
    facts.nodes.push_back({.name = name,
                           .has = {{"ncpus", 4}, {"mem", 8}},
                           .properties = {{"arch", "linux"}},
                           .below = name < std::string("n3") ? "s1" : "s2"});
  }
  facts.jobwide = {{"licences", 2}};
  return facts;
}

BookedOrder Order(const std::string& name, std::vector<std::string> nodes, int64_t cpus,
                  int64_t begin = 100, int64_t end = 200) {
  BookedPart part{.name = name,
                  .span = {{begin}, {end}},
                  .duration = {end - begin},
                  .wanted = {{static_cast<int64_t>(nodes.size()), {{"ncpus", cpus}}, {}}}};
  for (std::string& node : nodes) part.placed.push_back({std::move(node), {{"ncpus", cpus}}});
  return {.name = name, .user = "kim", .parts = {std::move(part)}};
}

class Checking : public ::testing::Test {
 protected:
  // Books these orders and returns what the checker finds. A second check must find nothing new.
  std::vector<Breach> Found(std::vector<BookedOrder> orders, Instant from = {0}) {
    PlanChecker checker(facts);
    std::vector<Breach> out;
    for (BookedOrder& order : orders) {
      checker.Put(std::move(order));
      for (const Violation& v : checker.Check(from)) out.push_back(v.breach);
    }
    EXPECT_TRUE(checker.Check(from).empty()) << "nothing changed";
    EXPECT_EQ(checker.CheckAll(from).empty(), out.empty()) << "all of it says the same";
    return out;
  }
  using Only = std::vector<Breach>;
  PlanFacts facts = TwoSwitches();
};

TEST_F(Checking, APlanThatKeepsEveryRuleIsSilentlyAccepted) {
  BookedOrder scattered = Order("2", {"n1", "n2"}, 2);
  scattered.parts[0].spread = Spread::kScatter;
  scattered.parts[0].one_switch = true;
  BookedOrder packed = Order("3", {"n3", "n3"}, 2);
  packed.parts[0].spread = Spread::kPack;
  packed.parts[0].wanted[0].properties = {{"arch", "linux"}};
  BookedOrder alone = Order("4", {"n4"}, 1);
  alone.parts[0].exclusive = true;
  alone.parts[0].jobwide = {{"licences", 2}};
  EXPECT_EQ(Found({Order("1", {"n1"}, 2), scattered, packed, alone, Order("5", {"n4"}, 4, 200)}),
            Only{});
}

TEST_F(Checking, ANodeSecondBookedTwiceIsFoundInEveryResource) {
  EXPECT_EQ(Found({Order("1", {"n1"}, 3), Order("2", {"n1"}, 2, 199, 300)}), Only{Breach::kTwice});
  EXPECT_EQ(Found({Order("1", {"n1"}, 3), Order("2", {"n1"}, 2, 200, 300)}), Only{});
  EXPECT_EQ(Found({Order("1", {"n1", "n1"}, 3)}), Only{Breach::kTwice}) << "one order is enough";
}

TEST_F(Checking, WhatIsOverAtTheInstantAskedForIsOver) {
  EXPECT_EQ(Found({Order("1", {"n1"}, 3), Order("2", {"n1"}, 2, 100, 150)}, {150}), Only{});
  EXPECT_EQ(Found({Order("1", {"n1"}, 3), Order("2", {"n1"}, 2, 100, 150)}, {149}),
            Only{Breach::kTwice});
}

TEST_F(Checking, OfAChainOneAtMostRuns) {
  BookedOrder first = Order("1", {"n1"}, 3);
  BookedOrder second = Order("2", {"n1"}, 4);
  first.chain = second.chain = "c";
  EXPECT_EQ(Found({first, second}), Only{});
  EXPECT_EQ(Found({first, second, Order("3", {"n1"}, 1)}), Only{Breach::kTwice})
      << "their maximum, not the last of them";
}

TEST_F(Checking, AChangedBookingCountsAsItIsNow) {
  PlanChecker checker(facts);
  checker.Put(Order("1", {"n1"}, 3));
  checker.Put(Order("2", {"n1"}, 3, 300, 400));
  EXPECT_TRUE(checker.Check({0}).empty());
  checker.Put(Order("2", {"n1"}, 3, 150, 250));
  EXPECT_EQ(checker.Check({0}).size(), 1u);
  checker.Remove("1");
  EXPECT_TRUE(checker.CheckAll({0}).empty());
  EXPECT_EQ(checker.booked(), 1u);
}

TEST_F(Checking, AChunkSplitOverNodesIsFound) {
  BookedOrder split = Order("1", {"n1"}, 4);
  split.parts[0].placed = {{"n1", {{"ncpus", 2}}}, {"n2", {{"ncpus", 2}}}};
  EXPECT_EQ(Found({split}), (Only{Breach::kSplit, Breach::kSplit}));
  BookedOrder less = Order("1", {"n1", "n2"}, 4);
  less.parts[0].placed.pop_back();
  EXPECT_EQ(Found({less}), Only{Breach::kSplit});
}

TEST_F(Checking, ANodeThatIsNotThereOrNotAsAskedForIsFound) {
  EXPECT_EQ(Found({Order("1", {"n9"}, 1)}), Only{Breach::kNode});
  BookedOrder other = Order("1", {"n1"}, 1);
  other.parts[0].wanted[0].properties = {{"arch", "aix"}};
  EXPECT_EQ(Found({other}), Only{Breach::kProperty});
  other.parts[0].wanted[0].properties = {{"net", "ib"}};
  EXPECT_EQ(Found({other}), Only{Breach::kProperty});
}

TEST_F(Checking, ANodeForOthersOnlyIsFound) {
  facts.nodes[0].only = Condition({.subject = Comparison::Subject::kDuration,
                                   .op = Comparison::Operator::kAtMost,
                                   .numbers = {50}});
  EXPECT_EQ(Found({Order("1", {"n1"}, 1)}), Only{Breach::kCondition});
  EXPECT_EQ(Found({Order("1", {"n1"}, 1, 100, 150)}), Only{});
}

TEST_F(Checking, APackedPartOnTwoNodesAndAScatteredOneOnOneAreFound) {
  BookedOrder order = Order("1", {"n1", "n2"}, 1);
  order.parts[0].spread = Spread::kPack;
  EXPECT_EQ(Found({order}), Only{Breach::kPlacement});
  order = Order("1", {"n1", "n1"}, 1);
  order.parts[0].spread = Spread::kScatter;
  EXPECT_EQ(Found({order}), Only{Breach::kPlacement});
}

TEST_F(Checking, APartBelowTwoSwitchesIsFound) {
  BookedOrder order = Order("1", {"n2", "n3"}, 1);
  order.parts[0].one_switch = true;
  EXPECT_EQ(Found({order}), Only{Breach::kTopology});
  facts.nodes[1].below = facts.nodes[2].below = "";
  EXPECT_EQ(Found({order}), Only{Breach::kTopology}) << "below none is not below one";
}

TEST_F(Checking, SwitchesOfSwitchesHoldWhatTheirOwnCannotAndNothingElse) {
  facts.above = {{"s1", "top"}, {"s2", "top"}};
  BookedOrder wide = Order("1", {"n1", "n2", "n3"}, 3);  // three nodes: s1 and s2 have two each
  wide.parts[0].one_switch = true;
  EXPECT_EQ(Found({wide}), Only{});
  BookedOrder spread = Order("1", {"n2", "n3"}, 3);  // two would be below s1, or s2
  spread.parts[0].one_switch = true;
  EXPECT_EQ(Found({spread}), (Only{Breach::kTopology, Breach::kTopology}));
  spread.parts[0].resized = true;
  EXPECT_EQ(Found({spread}), Only{}) << "it was wider";
  facts.nodes[3].below = "";
  BookedOrder outside = Order("1", {"n3", "n4"}, 3);
  outside.parts[0].one_switch = true;
  EXPECT_EQ(Found({outside}), Only{Breach::kTopology});
}

TEST_F(Checking, WhoeverIsBesideAnExclusivePartIsFoundEvenIfItTakesNothing) {
  BookedOrder alone = Order("1", {"n1"}, 1);
  alone.parts[0].exclusive = true;
  BookedOrder nothing = Order("2", {"n1"}, 0);
  EXPECT_EQ(Found({alone, nothing}), Only{Breach::kExclusive});
  EXPECT_EQ(Found({alone, Order("2", {"n1"}, 1)}), (Only{Breach::kTwice, Breach::kExclusive}));
  BookedOrder two = alone;
  two.parts.push_back(two.parts[0]);
  two.parts[1].wanted[0].resources = {};
  two.parts[1].placed[0].resources = {};
  EXPECT_EQ(Found({two}), (Only{Breach::kTwice, Breach::kExclusive})) << "another part of its own";
}

TEST_F(Checking, CoresKeptForAnExpensiveResourceAreKept) {
  facts.nodes[0].has.Set("ngpus", 1);
  facts.nodes[0].kept = {{"ncpus", 1}};
  facts.nodes[0].kept_for = {"nfpgas", "ngpus"};
  EXPECT_EQ(Found({Order("1", {"n1"}, 2), Order("2", {"n1"}, 2)}), Only{Breach::kKept});
  BookedOrder with = Order("2", {"n1"}, 2);
  with.parts[0].wanted[0].resources.Set("ngpus", 1);
  with.parts[0].placed[0].resources.Set("ngpus", 1);
  EXPECT_EQ(Found({Order("1", {"n1"}, 2), with}), Only{});
  BookedOrder alone = Order("1", {"n1"}, 2);
  alone.parts[0].exclusive = true;
  EXPECT_EQ(Found({alone}), Only{Breach::kKept}) << "the whole node is more than others may have";
}

TEST_F(Checking, JobWideItemsBeyondWhatThereIsAreFound) {
  BookedOrder one = Order("1", {"n1"}, 1);
  one.parts[0].jobwide = {{"licences", 1}};
  BookedOrder two = Order("2", {"n2"}, 1, 199, 300);
  two.parts[0].jobwide = {{"licences", 2}};
  EXPECT_EQ(Found({one, two}), Only{Breach::kJobwide});
  two.parts[0].span.begin = {200};
  EXPECT_EQ(Found({one, two}), Only{});
}

// --- reservations

BookedOrder Reservation() {
  BookedOrder out = Order("R1", {"n1", "n2"}, 2, 100, 400);
  out.reserves = true;
  out.allow = {"ana", "@students"};
  return out;
}
BookedOrder Inside(int64_t cpus, int64_t begin = 150, int64_t end = 250) {
  BookedOrder out = Order("2", {"n1"}, cpus, begin, end);
  out.inside = "R1";
  return out;
}

TEST_F(Checking, AReservationIsASystemOfItsOwn) {
  EXPECT_EQ(Found({Reservation(), Inside(2), Order("3", {"n1"}, 2)}), Only{})
      << "its jobs take of it, not of the machine again";
  EXPECT_EQ(Found({Reservation(), Order("3", {"n1"}, 3)}), Only{Breach::kTwice})
      << "who is not inside finds it taken";
}

TEST_F(Checking, MoreInAReservationThanItHasIsFound) {
  EXPECT_EQ(Found({Reservation(), Inside(3)}), Only{Breach::kReservation});
  BookedOrder elsewhere = Inside(1);
  elsewhere.parts[0].placed[0].node = "n3";
  EXPECT_EQ(Found({Reservation(), elsewhere}), Only{Breach::kReservation});
}

TEST_F(Checking, AJobThatOutlastsItsReservationIsFound) {
  EXPECT_EQ(Found({Reservation(), Inside(1, 350, 401)}), Only{Breach::kReservation});
  EXPECT_EQ(Found({Reservation(), Inside(1, 99, 120)}), Only{Breach::kReservation});
  EXPECT_EQ(Found({Reservation(), Inside(1, 100, 400)}), Only{});
}

TEST_F(Checking, AJobInAReservationOfOthersOrOfNoneIsFound) {
  BookedOrder job = Inside(1);
  job.user = "bo";
  EXPECT_EQ(Found({Reservation(), job}), Only{Breach::kReservation});
  job.groups = {"students"};
  EXPECT_EQ(Found({Reservation(), job}), Only{});
  EXPECT_EQ(Found({job}), Only{Breach::kReservation});
}

TEST_F(Checking, WhatStaysInAReservationThatGoesIsFound) {
  PlanChecker checker(facts);
  checker.Put(Reservation());
  checker.Put(Inside(1));
  EXPECT_TRUE(checker.Check({0}).empty());
  checker.Remove("R1");
  EXPECT_EQ(checker.Check({0}).size(), 1u);
}

}  // namespace
}  // namespace muster::sim
