// The users, the operator and the walls of a simulated machine that is shared.
#include "site/driver/simulated/outsiders.h"

#include <gtest/gtest.h>

namespace muster::driver {
namespace {

using Kind = OutsiderAct::Kind;
constexpr int64_t kWall = 1'700'000'000;

class OutsidersTest : public ::testing::Test {
 protected:
  OutsidersTest() {
    settings_.nodes = {
        {"n1", {{"ncpus", 4}}}, {"n2", {{"ncpus", 4}}}, {"c1", {{"ncpus", 4}}, true}};
    settings_.wall_takes = Milliseconds(500);
  }
  void Begin() {
    outsiders_.emplace(settings_);
    To(0);
  }
  void To(int64_t ms) {
    while (const auto next = outsiders_->Next()) {
      if (next->milliseconds > ms) break;
      At(next->milliseconds);
    }
    At(ms);
  }
  void At(int64_t ms) {
    outsiders_->Advance({.boot = {ms}, .wall = {kWall * 1000 + ms}}, ours_);
    for (Event& event : outsiders_->Take()) {
      if (const auto* outside = std::get_if<Outside>(&event)) {
        if (outside->whole) told_.clear();
        for (const uint64_t key : outside->gone) told_.erase(key);
        for (const auto& booking : outside->set) told_[booking.key] = booking;
      }
      events_.push_back(std::move(event));
    }
  }
  OutsiderAct Submit(int64_t ms, uint32_t nodes, int64_t cpus, int64_t limit, int64_t runs_ms) {
    OutsiderAct act{.at = {ms}};
    act.job = {.user = "ana", .nodes = nodes, .each = {{"ncpus", cpus}}, .limit = Span{limit}};
    act.job.runs = Milliseconds(runs_ms);
    return act;
  }
  PutWall Wall(const std::string& name, const std::string& node, int64_t from, int64_t to) {
    PutWall put{.wall = name, .serial = ++serial_};
    put.when = {Instant{kWall + from}, Instant{kWall + to}};
    put.places = {{.chunks = {{node, {{"ncpus", 4}}}}}};
    return put;
  }
  template <class What>
  std::vector<What> All() {
    std::vector<What> out;
    for (const Event& event : events_) {
      if (const auto* one = std::get_if<What>(&event)) out.push_back(*one);
    }
    return out;
  }

  OutsiderSettings settings_;
  std::optional<Outsiders> outsiders_;
  Outsiders::Ours ours_;
  std::map<uint64_t, OutsideBooking> told_;
  std::vector<Event> events_;
  uint64_t serial_ = 0;
};

TEST_F(OutsidersTest, JobsRunAsTheyComeAndAreTold) {
  settings_.acts = {Submit(0, 2, 3, 100, 50'000), Submit(1000, 1, 2, 10, 5000)};
  Begin();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_.at(1).running);
  EXPECT_EQ(told_.at(1).when.end, Instant{kWall + 100}) << "told by its limit";
  To(2000);
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_TRUE(told_.at(2).soft) << "it waits for the first";
  EXPECT_EQ(told_.at(2).when.begin, Instant{kWall + 100});
  To(50'000);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_.at(2).running) << "the first ended early";
  EXPECT_TRUE(outsiders_->TakenOn("c1").empty());
}

TEST_F(OutsidersTest, WhoOverrunsItsLimitIsToldToLastAnotherMinute) {
  settings_.acts = {Submit(0, 1, 4, 10, 100'000)};
  Begin();
  To(10'000);
  EXPECT_EQ(told_.at(1).when.end, Instant{kWall + 70});
  To(70'000);
  EXPECT_EQ(told_.at(1).when.end, Instant{kWall + 130});
  To(100'000);
  EXPECT_TRUE(told_.empty());
}

TEST_F(OutsidersTest, AWallKeepsThemOff) {
  Begin();
  outsiders_->Do(Wall("w", "n1", 50, 150));
  outsiders_->Do(Wall("v", "n2", 50, 150));
  To(400);
  EXPECT_TRUE(All<WallStands>().empty()) << "it takes a moment";
  To(500);
  EXPECT_EQ(All<WallStands>().size(), 2u);
  settings_.acts = {};
  Outsiders again = *outsiders_;
  EXPECT_EQ(again.walls().size(), 2u);
}

TEST_F(OutsidersTest, AJobThatReachesIntoAWallWaitsForItsEnd) {
  settings_.acts = {Submit(1000, 2, 1, 60, 5000), Submit(2000, 2, 1, 40, 5000)};
  Begin();
  outsiders_->Do(Wall("w", "n1", 50, 150));
  To(3000);
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_.at(1).when.begin, Instant{kWall + 150});
  EXPECT_TRUE(told_.at(2).running) << "it is over before the wall begins";
}

TEST_F(OutsidersTest, AWallIsRefusedWhereSomebodyIs) {
  settings_.acts = {Submit(0, 2, 1, 60, 60'000)};
  Begin();
  outsiders_->Do(Wall("w", "n1", 50, 150));
  outsiders_->Do(Wall("x", "n1", 60, 150));
  To(1000);
  ASSERT_EQ(All<WallRefused>().size(), 1u);
  EXPECT_EQ(All<WallRefused>()[0].why, "somebody else is on n1");
  EXPECT_EQ(All<WallStands>().size(), 1u);
}

TEST_F(OutsidersTest, AWallThatCannotChangeStandsAsItWas) {
  settings_.acts = {Submit(2000, 1, 4, 30, 30'000)};
  Begin();
  PutWall put = Wall("w", "n1", 100, 200);
  outsiders_->Do(put);
  To(3000);
  EXPECT_FALSE(told_.empty());
  PutWall moved = put;
  moved.serial = 9;
  moved.when = {Instant{kWall + 2}, Instant{kWall + 102}};
  outsiders_->Do(moved);
  To(4000);
  EXPECT_EQ(outsiders_->walls().at("w").when, put.when);
}

TEST_F(OutsidersTest, BlindItAnswersNothingAndThenEverything) {
  settings_.acts = {{.at = {1000}, .kind = Kind::kBlind},
                    Submit(2000, 1, 1, 60, 60'000),
                    {.at = {5000}, .kind = Kind::kSee}};
  Begin();
  To(1500);
  outsiders_->Do(Wall("w", "n2", 50, 150));
  To(4999);
  EXPECT_TRUE(told_.empty());
  EXPECT_TRUE(All<WallStands>().empty());
  To(6000);
  EXPECT_EQ(told_.size(), 1u);
  EXPECT_EQ(All<WallStands>().size(), 1u);
  const auto sights = All<Sight>();
  ASSERT_EQ(sights.size(), 2u);
  EXPECT_TRUE(sights[0].blind);
  EXPECT_FALSE(sights[1].blind);
}

TEST_F(OutsidersTest, AnOrphanedWallGoesWithTheNextDaemon) {
  Begin();
  outsiders_->Do(Wall("w", "n1", 50, 150));
  outsiders_->Do(Wall("orphan", "n2", 50, 150));
  To(1000);
  outsiders_->CrashDaemon();
  events_.clear();
  outsiders_->Do(Reconcile{.walls = {outsiders_->walls().at("w")}});
  To(2000);
  EXPECT_EQ(outsiders_->walls().size(), 1u);
  EXPECT_EQ(All<WallStands>().size(), 1u);
  ASSERT_FALSE(All<Outside>().empty());
  EXPECT_TRUE(All<Outside>()[0].whole);
}

TEST_F(OutsidersTest, LicencesAreKeptByWallsAndByThoseWhoRun) {
  settings_.jobwide = {{"licences", 2}};
  settings_.acts = {Submit(0, 1, 1, 60, 60'000), Submit(0, 1, 1, 60, 1000)};
  settings_.acts[0].job.jobwide = {{"licences", 1}};
  settings_.acts[1].job.jobwide = {{"licences", 2}};
  Begin();
  EXPECT_EQ(told_.at(1).jobwide, (ResourceSet{{"licences", 1}}));
  EXPECT_FALSE(told_.at(2).running);
  EXPECT_TRUE(told_.at(2).jobwide.empty()) << "it is only planned";
  EXPECT_EQ(outsiders_->TakenOn(kWholeMachine), (ResourceSet{{"licences", 1}}));
  PutWall both = Wall("w", "n2", 30, 90), one = Wall("v", "n2", 30, 90);
  both.jobwide = {{"licences", 2}, {"own", 5}};
  one.jobwide = {{"licences", 1}};
  outsiders_->Do(both);
  To(1000);
  EXPECT_EQ(All<WallRefused>().size(), 1u);
  outsiders_->Do(one);
  To(2000);
  EXPECT_EQ(All<WallStands>().size(), 1u);
  To(70'000);
  EXPECT_FALSE(told_.at(2).running) << "the wall has one";
  To(90'500);
  EXPECT_TRUE(told_.at(2).running);
}

TEST_F(OutsidersTest, MustersPartsAreInTheirWay) {
  ours_["n1"] = {{"ncpus", 4}};
  ours_["n2"] = {{"ncpus", 4}};
  settings_.acts = {Submit(0, 1, 1, 60, 1000)};
  Begin();
  EXPECT_TRUE(told_.empty()) << "nobody knows how long these stay";
  ours_.clear();
  At(1000);
  EXPECT_TRUE(told_.at(1).running);
}

}  // namespace
}  // namespace muster::driver
