// Walls at a site whose machine is shared: a hold is recorded, or moves to an earlier start, once
// they stand. protocol.md section 3.1 (rows A1 to A8).
#include <gtest/gtest.h>

#include <algorithm>

#include "site/driven_site_fixture.h"

namespace muster::site {
namespace {

using driver::PutWall;
using schemas::CauseCode;
using schemas::HoldState;

class WallsTest : public DrivenSite {
 protected:
  WallsTest() {
    options_.facts.shared = true;
    options_.facts.most_walls = 3;
    options_.facts.wall_prefix = "mu_";
    options_.nodes.push_back({"c1", {{"ncpus", 4}, {"ngpus", 1}}, {}});
    Again();
  }
  void Again(schemas::ProtocolValues values = {}) {
    Load();
    Say(schemas::Welcome{.epoch = {1}, .values = values});
    driver::Outside all{.whole = true};
    all.nodes = {{.node = "c1", .commons = true}};
    Tell(all);
  }
  void Tell(driver::Event event) { Turn({DriverSays{std::move(event)}}); }
  // The walls that were asked for and not answered, the oldest first.
  std::vector<PutWall> Asked() {
    std::vector<PutWall> out;
    for (const driver::Command& command : commands_) {
      if (const auto* put = std::get_if<PutWall>(&command)) out.push_back(*put);
    }
    out.erase(out.begin(), out.begin() + static_cast<int64_t>(std::min(answered_, out.size())));
    return out;
  }
  void Stand() {
    const std::vector<PutWall> asked = Asked();
    answered_ += asked.size();
    for (const PutWall& put : asked) {
      Tell(driver::WallStands{.wall = put.wall, .serial = put.serial});
    }
  }
  void Refuse(bool again = true) {
    const PutWall put = Asked().front();
    ++answered_;
    Tell(driver::WallRefused{
        .wall = put.wall, .serial = put.serial, .why = "somebody is there", .again = again});
  }
  std::vector<std::string> Dropped() const {
    std::vector<std::string> out;
    for (const driver::Command& command : commands_) {
      if (const auto* drop = std::get_if<driver::DropWall>(&command)) out.push_back(drop->wall);
    }
    return out;
  }
  std::vector<schemas::Answer> Answers() const {
    std::vector<schemas::Answer> out;
    for (const schemas::ToMeta& message : to_meta_) {
      const auto* answers = std::get_if<schemas::Answers>(&message.body);
      if (answers == nullptr) continue;
      out.insert(out.end(), answers->answers.begin(), answers->answers.end());
    }
    return out;
  }
  static std::string NodeOf(const schemas::HoldRecord& hold) {
    return hold.parts.at(0).place.chunks.at(0).node;
  }
  // Of a whole node, not before `start`.
  void At(uint64_t number, int64_t start, int64_t seconds = 100) {
    schemas::HoldOrder order = OrderFor(number, number, start, seconds, std::nullopt, false);
    order.earliest = kNow + Span{start};
    Order(order);
  }
  // Takes c1, where no wall is needed.
  void FillCommons() {
    schemas::HoldOrder order = OrderFor(900, 900, 1, 50'000, std::nullopt, false);
    order.parts[0].chunks[0].resources.Set("ngpus", 1);
    Order(order);
    Permit(900);
  }

  size_t answered_ = 0;
};

TEST_F(WallsTest, AHoldIsRecordedOnceItsWallStands) {
  FillCommons();
  ASSERT_TRUE(Asked().empty()) << "c1 is in the commons";
  EXPECT_EQ(Hold(900).state, HoldState::kPermitted);
  At(1, 100);
  ASSERT_EQ(Asked().size(), 1u);
  const PutWall put = Asked()[0];
  EXPECT_EQ(put.wall, "mu_1.1.1");
  EXPECT_EQ(put.user, "kim");
  EXPECT_EQ(put.when.begin, kNow + Span{99}) << "with the turnover";
  EXPECT_EQ(put.when.end, kNow + Span{200});
  EXPECT_EQ(Hold(1).state, HoldState::kNone);
  At(1, 100);
  EXPECT_EQ(Asked().size(), 1u) << "the same order again: nothing";
  Stand();
  EXPECT_EQ(Hold(1).state, HoldState::kCommitted);
  EXPECT_EQ(NodeOf(Hold(1)), put.places[0].chunks[0].node);
}

TEST_F(WallsTest, LicencesOfTheMachineAreKeptByAWallAlsoInTheCommons) {
  options_.facts.jobwide = {{"licence_x", 2}};
  options_.rules.jobwide = {{"licence_x", 2}, {"own_disk", 5}};
  Again();
  const auto order = [&](uint64_t number, ResourceSet jobwide) {
    schemas::HoldOrder out = OrderFor(number, number, 100, 50, std::nullopt, false);
    out.earliest = kNow + Span{100};
    out.parts[0].chunks[0].resources = {{"ncpus", 4}, {"ngpus", 1}};  // c1 alone has one
    out.parts[0].jobwide = std::move(jobwide);
    Order(out);
  };
  order(1, {{"licence_x", 2}, {"own_disk", 3}});
  ASSERT_EQ(Asked().size(), 1u);
  EXPECT_EQ(Asked()[0].places[0].chunks[0].node, "c1");
  EXPECT_EQ(Asked()[0].jobwide, (ResourceSet{{"licence_x", 2}})) << "nobody else has its disk";
  Stand();
  order(2, {{"own_disk", 3}});
  EXPECT_TRUE(Asked().empty()) << "it has nothing that others could take";
}

TEST_F(WallsTest, WhatIsAskedForIsBookedForNobodyElse) {
  FillCommons();
  At(1, 100);
  At(2, 100);
  At(3, 100);
  ASSERT_EQ(Asked().size(), 3u);
  std::vector<std::string> nodes;
  for (const PutWall& put : Asked()) nodes.push_back(put.places[0].chunks[0].node);
  EXPECT_NE(nodes[0], nodes[1]);
  EXPECT_EQ(Asked()[2].when.begin, kNow + Span{200}) << "behind one of the others";
  At(4, 100);
  ASSERT_FALSE(Answers().empty()) << "A8";
  EXPECT_EQ(Answers().back().verdict->reason->text, "the cluster keeps 3 walls for the federation");
}

TEST_F(WallsTest, ARefusedOneIsAskedForOnceMoreElsewhereThenCountered) {
  FillCommons();
  At(1, 100);
  const std::string first = Asked()[0].places[0].chunks[0].node;
  Refuse();
  ASSERT_EQ(Asked().size(), 1u);
  EXPECT_NE(Asked()[0].places[0].chunks[0].node, first);
  EXPECT_EQ(Asked()[0].when.begin, kNow + Span{99});
  Refuse();
  EXPECT_TRUE(Asked().empty());
  ASSERT_EQ(Answers().size(), 1u);
  const schemas::VerdictEntry verdict = *Answers()[0].verdict;
  EXPECT_EQ(verdict.kind, schemas::VerdictKind::kCountered);
  EXPECT_EQ(verdict.reason->text, "somebody is there");
  ASSERT_FALSE(verdict.starts.empty());
  EXPECT_GT(verdict.starts.intervals()[0].begin, kNow + Span{100});
  EXPECT_EQ(Hold(1).state, HoldState::kNone);
  Until(21);
  At(2, 100);
  ASSERT_EQ(Asked().size(), 1u);
  EXPECT_EQ(Asked()[0].when.begin, kNow + Span{99}) << "after a while it may be asked for again";
}

TEST_F(WallsTest, AReleaseOfWhatIsAskedForLeavesNothing) {
  FillCommons();
  At(1, 100);
  Order(schemas::ReleaseOrder{.fence = {{1}, 1}});
  EXPECT_EQ(Dropped(), std::vector<std::string>{"mu_1.1.1"});
  EXPECT_EQ(Hold(1).state, HoldState::kClosed) << "a tombstone";
  Stand();
  EXPECT_EQ(Hold(1).state, HoldState::kClosed) << "the answer comes too late";
}

TEST_F(WallsTest, AnAnswerThatDoesNotComeInTimeCounters) {
  FillCommons();
  At(1, 100);
  Until(4);
  EXPECT_TRUE(Answers().empty());
  Until(6);
  ASSERT_EQ(Answers().size(), 1u);
  EXPECT_EQ(Dropped(), std::vector<std::string>{"mu_1.1.1"});
}

TEST_F(WallsTest, AMoveToAnEarlierStartWaitsForItsWall) {
  FillCommons();
  At(1, 5, 1000);
  At(2, 5, 1000);
  At(3, 5, 100);
  Stand();
  for (const uint64_t number : {1, 2, 3}) Permit(number);
  const Instant late = Hold(3).start;
  ASSERT_EQ(late, kNow + Span{1006});
  Until(10);
  Order(schemas::ReleaseOrder{.fence = {{1}, 1}});
  Until(13);
  ASSERT_FALSE(Asked().empty());
  EXPECT_EQ(Hold(3).start, late) << "on record it stays";
  EXPECT_LT(Asked().back().when.begin, kNow + Span{20});
  Refuse();
  EXPECT_EQ(Hold(3).start, late);
  EXPECT_EQ(started_.size(), 3u) << "of 900, 1 and 2";
  Until(35);
  ASSERT_FALSE(Asked().empty()) << "it tries again";
  Stand();
  EXPECT_LT(Hold(3).start, kNow + Span{45});
  Until(45);
  EXPECT_EQ(started_.size(), 4u);
}

// G2: what began late meanwhile, or came, is in the plan, and the wall may stand all the same.
TEST_F(WallsTest, APlaceThatOthersTookUntilItsWallStandsIsNotTaken) {
  FillCommons();
  const auto take = [&](uint64_t key, const PutWall& put) {
    driver::OutsideBooking booking{.key = key, .label = "slurm 7 ana", .running = true};
    booking.chunks = put.places[0].chunks;
    booking.when = {kNow, put.when.begin + Span{30}};
    Tell(driver::Outside{.set = {booking}});
  };
  At(1, 20);
  const PutWall first = Asked()[0];
  take(7, first);
  Stand();
  EXPECT_EQ(Hold(1).state, HoldState::kNone);
  ASSERT_EQ(Asked().size(), 1u) << "it is planned anew";
  EXPECT_NE(Asked()[0].places, first.places);
  Stand();
  EXPECT_EQ(Hold(1).state, HoldState::kCommitted);
  EXPECT_EQ(Hold(1).start, kNow + Span{20});
}

TEST_F(WallsTest, AMoveToAPlaceThatOthersTookMeanwhileIsGivenUp) {
  FillCommons();
  At(1, 5, 1000);
  At(2, 5, 1000);
  At(3, 5, 100);
  Stand();
  for (const uint64_t number : {1, 2, 3}) Permit(number);
  const Instant late = Hold(3).start;
  Until(10);
  Order(schemas::ReleaseOrder{.fence = {{1}, 1}});
  Until(13);
  ASSERT_FALSE(Asked().empty());
  driver::OutsideBooking booking{.key = 7, .label = "slurm 7 ana", .running = true};
  booking.chunks = Asked().back().places[0].chunks;
  booking.when = {kNow + Span{13}, kNow + Span{500}};
  Tell(driver::Outside{.set = {booking}});
  Stand();
  EXPECT_EQ(Hold(3).start, late);
}

TEST_F(WallsTest, AWallThatIsLostIsPutAgainAndElseItsHoldMoves) {
  FillCommons();
  At(1, 100);
  Stand();
  Permit(1);
  const std::string node = NodeOf(Hold(1));
  Tell(driver::WallLost{.wall = "mu_1.1.1", .why = "the operator deleted it"});
  ASSERT_EQ(Asked().size(), 1u);
  EXPECT_EQ(Hold(1).start, kNow + Span{100});
  Refuse();
  EXPECT_NE(NodeOf(Hold(1)), node) << "the same start on another node";
  EXPECT_EQ(Hold(1).start, kNow + Span{100});
  ASSERT_EQ(Asked().size(), 1u);
  Refuse();
  EXPECT_GT(Hold(1).start, kNow + Span{100});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kLocal);
}

TEST_F(WallsTest, APartIsHandedOverBeforeItsSecondAndNotBeforeItsWallStands) {
  options_.facts.start_ahead = Span{4};
  Again();
  FillCommons();
  At(1, 100);
  Stand();
  Permit(1);
  Tell(driver::WallLost{.wall = "mu_1.1.1", .why = "gone"});
  Until(97);
  EXPECT_EQ(started_.size(), 1u) << "900";
  Stand();
  Until(98);
  ASSERT_EQ(started_.size(), 2u);
  for (const driver::Command& command : commands_) {
    const auto* start = std::get_if<driver::StartPart>(&command);
    if (start == nullptr || start->part_name == started_[0]) continue;
    EXPECT_EQ(start->not_before, kNow + Span{100});
    EXPECT_EQ(start->wall, "mu_1.1.1");
  }
}

TEST_F(WallsTest, APartIsHandedOverAsEarlyWhereTheFederationsLeadIsShorter) {
  options_.facts.start_ahead = Span{5};
  Again({.lead = Seconds(2)});
  FillCommons();
  At(1, 100);
  Stand();
  Permit(1);
  Until(94);
  EXPECT_EQ(started_.size(), 1u) << "900";
  Until(95);
  EXPECT_EQ(started_.size(), 2u);
}

TEST_F(WallsTest, AfterARestartTheDriverHearsOfEveryWallAndToken) {
  FillCommons();
  At(1, 100);
  Stand();
  Permit(1);
  At(2, 100);  // asked for, and forgotten by the restart
  commands_.clear();
  answered_ = 0;
  Again();
  const driver::Reconcile* all = nullptr;
  for (const driver::Command& command : commands_) {
    if (const auto* found = std::get_if<driver::Reconcile>(&command)) all = found;
  }
  ASSERT_NE(all, nullptr);
  ASSERT_EQ(all->walls.size(), 2u) << "which nodes are in the commons was not told yet";
  EXPECT_EQ(all->walls[0].wall, "mu_1.1.1");
  EXPECT_EQ(all->walls[1].wall, "mu_1.900.1");
  EXPECT_EQ(Dropped(), std::vector<std::string>{"mu_1.900.1"}) << "once it was";
  EXPECT_EQ(Hold(2).state, HoldState::kNone);
}

TEST_F(WallsTest, OneThatIsRefusedAfterARestartLeavesNothingBehind) {
  At(1, 100);
  Stand();
  Permit(1);
  commands_.clear();
  answered_ = 0;
  Again();
  uint64_t serial = 0;
  for (const driver::Command& command : commands_) {
    const auto* all = std::get_if<driver::Reconcile>(&command);
    if (all != nullptr) serial = all->walls.at(0).serial;
  }
  Tell(driver::WallRefused{.wall = "mu_1.1.1", .serial = serial, .why = "no more", .again = true});
  const std::vector<std::string> dropped = Dropped();
  EXPECT_NE(std::find(dropped.begin(), dropped.end(), "mu_1.1.1"), dropped.end())
      << "what stood there before may still stand";
}

TEST_F(WallsTest, ItIsDroppedWithItsHold) {
  FillCommons();
  At(1, 100);
  Stand();
  Order(schemas::ReleaseOrder{.fence = {{1}, 1}});
  EXPECT_EQ(Dropped(), std::vector<std::string>{"mu_1.1.1"});
}

TEST_F(WallsTest, ANodeThatLeavesTheCommonsGetsOne) {
  FillCommons();
  driver::Outside other;
  other.nodes = {{.node = "c1", .commons = false}};
  Tell(other);
  ASSERT_EQ(Asked().size(), 1u);
  EXPECT_EQ(Asked()[0].wall, "mu_1.900.1");
}

}  // namespace
}  // namespace muster::site
