// The checker of those who use a machine without muster complains about faults planted by hand, and
// is silent without them.
#include <gtest/gtest.h>

#include "sim/checkers/checker.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim::outside_test {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;

constexpr int64_t kNow = 1'000'000;  // seconds

// A hold of n1 from 100 s to 200 s from now, at a site that keeps its nodes by walls; c1 is in the
// commons.
class OutsideFaults : public ::testing::Test {
 protected:
  OutsideFaults() {
    site_.name = "lakes";
    site_.facts.turnover = Span{2};
    site_.facts.shared = true;
    site_.facts.most_walls = 10;
    site_.facts.wall_prefix = "mu_";
    site_.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"c1", {{"ncpus", 4}}, {}}};
    Begin();
    hold_.order.fence = {{1}, 1};
    hold_.order.members = {"lakes"};
    hold_.order.parts = {{.index = 1, .duration = Span{100}}};
    hold_.state = HoldState::kCommitted;
    hold_.start = {kNow + 100};
    hold_.parts = {{.index = 1, .place = {.index = 1, .chunks = {{"n1", {{"ncpus", 4}}}}}}};
  }
  void Begin() {
    checker_ = CheckOutside({.sites = {site_}});
    driver::Outside all{.whole = true};
    all.nodes = {{.node = "c1", .commons = true}};
    checker_->OnDriverEvent(At(0), "lakes", all);
  }
  static Moment At(int64_t second) { return {(kNow + second) * 1000}; }
  void Write(int64_t second) {
    checker_->OnSiteWrites(At(second), "lakes", {{"hold/x", schemas::SiteRecord{hold_}}});
  }
  driver::PutWall Ask(int64_t from, int64_t to) {
    driver::PutWall put{.wall = "mu_1.1.1", .serial = ++serial_};
    put.when = {Instant{kNow + from}, Instant{kNow + to}};
    put.places = {hold_.parts[0].place};
    checker_->OnDriverCommand(At(0), "lakes", put);
    return put;
  }
  void Stand(const driver::PutWall& put) {
    checker_->OnDriverEvent(At(0), "lakes",
                            driver::WallStands{.wall = put.wall, .serial = put.serial});
  }
  void ExpectOne(const std::string& part) {
    ASSERT_EQ(checker_->violations().size(), 1u);
    EXPECT_NE(checker_->violations()[0].find(part), std::string::npos) << checker_->violations()[0];
  }

  site::Options site_;
  std::unique_ptr<Checker> checker_;
  HoldRecord hold_;
  uint64_t serial_ = 0;
};

TEST_F(OutsideFaults, AHoldBehindItsWallIsNone) {
  Stand(Ask(98, 200));
  Write(1);
  hold_.start = {kNow + 50};
  Stand(Ask(48, 150));
  Write(2);
  EXPECT_TRUE(checker_->violations().empty());
}

TEST_F(OutsideFaults, AHoldThatIsRecordedBeforeItsWallStandsIsFound) {
  Ask(98, 200);
  Write(1);
  ExpectOne("is recorded on n1, where no wall stands");
}

TEST_F(OutsideFaults, LicencesThatNoWallKeepsAreFound) {
  site_.facts.jobwide = {{"licence_x", 4}};
  Begin();
  hold_.order.parts[0].jobwide = {{"licence_x", 2}, {"own_disk", 9}};
  driver::PutWall put = Ask(98, 200);
  put.jobwide = {{"licence_x", 2}};
  checker_->OnDriverCommand(At(0), "lakes", put);
  Stand(put);
  Write(1);
  EXPECT_TRUE(checker_->violations().empty());
  Begin();
  Stand(Ask(98, 200));
  Write(1);
  ExpectOne("which no wall keeps for it");
}

TEST_F(OutsideFaults, AWallThatIsTooShortOrNotReadBackIsFound) {
  Stand(Ask(98, 199));
  Write(1);
  ExpectOne("is recorded on n1");
}

TEST_F(OutsideFaults, AMoveToAnEarlierStartBeforeItsWallStandsIsFound) {
  Stand(Ask(98, 200));
  Write(1);
  Ask(48, 150);
  hold_.start = {kNow + 50};
  Write(2);
  ExpectOne("moves earlier on n1");
}

TEST_F(OutsideFaults, AnExclusivePartThatKeepsOnlyWhatItAskedForIsFound) {
  hold_.order.parts[0].exclusive = true;
  hold_.parts[0].place.chunks[0].resources = {{"ncpus", 1}};
  Stand(Ask(98, 200));
  Write(1);
  ExpectOne("is recorded on n1, where no wall stands");
  Begin();
  driver::PutWall put = Ask(98, 200);
  put.places[0].chunks.push_back({.node = "n1"});
  checker_->OnDriverCommand(At(0), "lakes", put);
  Stand(put);
  Write(1);
  EXPECT_TRUE(checker_->violations().empty());
}

TEST_F(OutsideFaults, AnUnevenPartIsFoundWherePartsAreEven) {
  hold_.parts[0].place.chunks = {{"c1", {{"ncpus", 2}}}, {"c2", {{"ncpus", 1}}}};
  site_.facts.most_walls = 0;
  Begin();
  Write(1);
  EXPECT_TRUE(checker_->violations().empty());
  site_.facts.even = true;
  Begin();
  Write(1);
  ExpectOne("has more of one of its nodes than of another");
}

TEST_F(OutsideFaults, InTheCommonsNoWallIsNeeded) {
  hold_.parts[0].place.chunks[0].node = "c1";
  Write(1);
  EXPECT_TRUE(checker_->violations().empty());
}

TEST_F(OutsideFaults, WhoMakesWayThoughNobodyIsThereIsFound) {
  Stand(Ask(98, 200));
  Write(1);
  hold_.start = {kNow + 300};
  hold_.cause = {.code = schemas::CauseCode::kLocal};
  Write(30);
  ExpectOne("made way");
}

TEST_F(OutsideFaults, WhoMakesWayWhereSomebodyStaysTooLongIsNone) {
  Stand(Ask(98, 200));
  Write(1);
  driver::OutsideBooking late{.key = 1, .running = true};
  late.chunks = hold_.parts[0].place.chunks;
  late.when = {Instant{kNow}, Instant{kNow + 160}};
  checker_->OnDriverEvent(At(1), "lakes", driver::Outside{.set = {late}});
  hold_.start = {kNow + 300};
  hold_.cause = {.code = schemas::CauseCode::kLocal};
  Write(2);
  EXPECT_TRUE(checker_->violations().empty());
}

TEST_F(OutsideFaults, AWallThatStandsForNobodyIsFoundInTheEnd) {
  driver::SimulatedMachine machine;
  driver::OutsiderSettings settings;
  settings.nodes = {{"n1", {{"ncpus", 4}}}, {"c1", {{"ncpus", 4}}, true}};
  machine.Advance({.boot = {1000}, .wall = At(0)});
  machine.Share(settings);
  machine.Do(Ask(98, 200));
  machine.Advance({.boot = {2000}, .wall = At(1)});
  checker_->OnMachine(At(1), "lakes", machine);
  checker_->AtEnd(At(2), true);
  ExpectOne("wall mu_1.1.1 stands for nobody");
}

}  // namespace
}  // namespace muster::sim::outside_test
