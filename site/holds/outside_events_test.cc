// Those who use the machine without muster, at a site: they are planned around, and who is in the
// way of a hold moves it with the cause `local`. protocol.md section 5.
#include <gtest/gtest.h>

#include "schemas/limits.h"
#include "site/driven_site_fixture.h"

namespace muster::site {
namespace {

using schemas::CauseCode;
using schemas::HoldState;

class OutsideEventsTest : public DrivenSite {
 protected:
  void Share() {
    options_.facts.shared = true;
    options_.facts.firm = false;
    options_.facts.finds_parts = true;
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  void Tell(driver::Event event) { Turn({DriverSays{std::move(event)}}); }
  driver::OutsideBooking On(uint64_t key, const std::string& node, int64_t from, int64_t to) {
    driver::OutsideBooking out{.key = key, .label = "slurm " + std::to_string(key) + " ana"};
    out.when = {kNow + Span{from}, kNow + Span{to}};
    out.chunks = {{node, {{"ncpus", 4}}}};
    return out;
  }
  // What a heartbeat says of them.
  std::vector<schemas::OutsideRun> ToldOutside() {
    to_meta_.clear();
    Say(schemas::Beat{});
    Until(now_ms_ / 1000 + 3);
    for (const schemas::ToMeta& message : to_meta_) {
      const auto* beat = std::get_if<schemas::Heartbeat>(&message.body);
      if (beat && beat->capacity) return beat->capacity->outside;
    }
    ADD_FAILURE() << "no capacity was told";
    return {{}};
  }
  // A whole node from `start` on, and not before.
  void PlaceAt(uint64_t number, int64_t start) {
    schemas::HoldOrder order = OrderFor(number, number, start, 100, std::nullopt, false);
    order.earliest = kNow + Span{start};
    Order(order);
    Permit(number);
  }
  void See(std::vector<driver::OutsideBooking> bookings = {}) {
    Tell(driver::Outside{.whole = true, .set = std::move(bookings)});
  }
};

TEST_F(OutsideEventsTest, NothingIsPlannedBeforeTheMachineIsSeen) {
  Share();
  Place(1, 1, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(1).state, HoldState::kNone);
  See();
  Place(2, 2, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(2).state, HoldState::kPermitted);
  Tell(driver::Sight{.blind = true, .why = "no answer"});
  Place(3, 3, 200, 100, std::nullopt, false);
  EXPECT_EQ(Hold(3).state, HoldState::kNone);
  Until(12);
  EXPECT_EQ(started_.size(), 1u) << "what is promised starts all the same";
}

// The driver of a reload lives on: what it told the core before is still under way.
TEST_F(OutsideEventsTest, ChangesToldToTheCoreBeforeAReloadAreNotTheMachine) {
  Share();
  Tell(driver::Outside{.set = {On(7, "n1", 0, 300)}});
  Tell(driver::Sight{.blind = false});
  Place(1, 1, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(1).state, HoldState::kNone);
  See();
  Place(2, 2, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(2).state, HoldState::kPermitted);
}

// protocol.md section 2 (Capacity): what is told to the meta.
TEST_F(OutsideEventsTest, TheMetaHearsOfThoseThatRunInTheOrderOfTheirStarts) {
  Share();
  const auto running = [&](uint64_t key, const std::string& node, int64_t from, int64_t ncpus) {
    driver::OutsideBooking out = On(key, node, from, 300);
    out.running = true;
    out.user = "ana";
    out.chunks[0].resources = {{"ncpus", ncpus}};
    return out;
  };
  driver::OutsideBooking whole = running(7, "n1", -10, 1);
  whole.whole_nodes = true;
  driver::OutsideBooking waits = On(2, "n2", 100, 300);
  waits.soft = true;
  driver::OutsideBooking reserved = On(3, "n2", -100, 300);
  reserved.running = reserved.reserved = true;
  See({running(5, "n2", -5, 9), whole, running(6, "n2", -20, 1), waits, reserved,
       running(4, "elsewhere", -30, 1)});
  EXPECT_EQ(ToldOutside(), (std::vector<schemas::OutsideRun>{
                               {6, "ana", {kNow - Span{20}, kNow + Span{300}}, {{"ncpus", 1}}},
                               {7, "ana", {kNow - Span{10}, kNow + Span{300}}, {{"ncpus", 4}}},
                               {5, "ana", {kNow - Span{5}, kNow + Span{300}}, {{"ncpus", 4}}},
                           }))
      << "nobody takes more than a node has";
  std::vector<driver::OutsideBooking> many;
  for (uint64_t key = 1; key <= schemas::kOutsideRuns + 20; ++key) {
    many.push_back(running(key, "n2", -1000 + static_cast<int64_t>(key), 1));
  }
  See(many);
  std::vector<schemas::OutsideRun> told = ToldOutside();
  ASSERT_EQ(told.size(), schemas::kOutsideRuns);
  EXPECT_EQ(told.back().key, schemas::kOutsideRuns);
  many.erase(many.begin());
  See(many);
  told = ToldOutside();
  EXPECT_EQ(told.front().key, 2u);
  EXPECT_EQ(told.back().key, schemas::kOutsideRuns + 1);
}

// Row R5 and R7 of protocol.md section 3.3. Nodes that such a machine has lost are told by itself.
TEST_F(OutsideEventsTest, APartThatDoesNotStartThereIsLateAndAccusesNoNode) {
  Share();
  See();
  confirms_ = false;
  Place(1, 1, 10, 100, std::nullopt, false);
  for (int second = 12; second < 40 && Hold(1).state == HoldState::kPermitted; ++second) {
    Until(second);
    const std::string token = Hold(1).parts[0].token;
    Tell(driver::PartNotStarted{.token = token, .why = "it is not known there any more"});
  }
  EXPECT_GT(started_.size(), 1u);
  EXPECT_TRUE(Hold(1).state == HoldState::kClosed || Hold(1).start > kNow + Span{10});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kLate);
  EXPECT_EQ(Hold(1).cause.subject.node, "");
}

TEST_F(OutsideEventsTest, ASiteThatDidNotSeeItsMachineInTheSecondOfAStartSaysSo) {
  Share();
  See();
  confirms_ = false;
  Place(1, 1, 10, 100, std::nullopt, false);
  Until(12);
  ASSERT_EQ(started_.size(), 1u);
  Tell(driver::Sight{.blind = true, .why = "no answer"});
  Until(20);
  See();
  Until(22);
  Tell(driver::PartStarted{.token = Hold(1).parts[0].token, .at = Time().wall});
  EXPECT_EQ(Hold(1).start, kNow + Span{22});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kSiteDown);
}

TEST_F(OutsideEventsTest, HoldsArePlannedAroundThem) {
  Share();
  See({On(1, "n1", 0, 300), On(2, "n2", 0, 200)});
  Place(1, 1, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(1).start, kNow + Span{201});
  Tell(driver::Outside{.gone = {2}});
  Until(2);
  EXPECT_LE(Hold(1).start, kNow + Span{15}) << "it moves earlier where they leave";
}

TEST_F(OutsideEventsTest, WhoComesInTheWayMovesAHoldToAnotherNodeOrALaterStart) {
  Share();
  See();
  PlaceAt(1, 100);
  const std::string node = Hold(1).parts[0].place.chunks[0].node;
  const std::string other = node == "n1" ? "n2" : "n1";
  Tell(driver::Outside{.set = {On(1, node, 5, 400)}});
  EXPECT_EQ(Hold(1).start, kNow + Span{100});
  EXPECT_EQ(Hold(1).parts[0].place.chunks[0].node, other);
  Tell(driver::Outside{.set = {On(2, other, 5, 300)}});
  EXPECT_EQ(Hold(1).start, kNow + Span{301});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kLocal);
  EXPECT_EQ(Hold(1).cause.subject.job, "slurm 2 ana");
}

TEST_F(OutsideEventsTest, ANodeThatIsToldToBeLostIsLeft) {
  Share();
  See();
  Place(1, 1, 100, 100, std::nullopt, false);
  const std::string node = Hold(1).parts[0].place.chunks[0].node;
  driver::Outside lost;
  lost.nodes = {{.node = node, .usable = false, .code = CauseCode::kNodeLost, .why = "no answer"}};
  Tell(lost);
  EXPECT_NE(Hold(1).parts[0].place.chunks[0].node, node);
  const std::string now = Hold(1).parts[0].place.chunks[0].node;
  Place(2, 2, 100, 100, std::nullopt, false);
  EXPECT_EQ(Hold(2).parts[0].place.chunks[0].node, now) << "after the first";
  lost.nodes[0].usable = true;
  Tell(lost);
  Until(3);
  EXPECT_EQ(Hold(2).parts[0].place.chunks[0].node, node) << "it is back and free";
}

TEST_F(OutsideEventsTest, ANodeThatMayNotBeUsedIsShownSoInTheChart) {
  Share();
  See();
  driver::Outside told;
  told.nodes = {{.node = "n2", .usable = false, .why = "not in the commons"}};
  Tell(told);
  Say(schemas::Inspect{.inspection = 5, .kind = schemas::InspectKind::kBookings});
  const auto* said = std::get_if<schemas::View>(&to_meta_.back().body);
  ASSERT_NE(said, nullptr);
  const auto& chart = std::get<schemas::BookingsView>(said->what);
  EXPECT_EQ(chart.nodes, (std::vector<std::string>{"n1", "n2"}));
  ASSERT_EQ(chart.bookings.size(), 1u);
  EXPECT_EQ(chart.bookings[0].node, "n2");
  EXPECT_EQ(chart.bookings[0].kind, schemas::BookingKind::kDrained);
}

TEST_F(OutsideEventsTest, ADrainedNodeStaysDrainedWhateverIsTold) {
  Share();
  See();
  schemas::Steer drain{.order = 1, .who = "operator:op"};
  drain.nodes = {"n1"};
  Say(drain);
  driver::Outside told;
  told.nodes = {{.node = "n1", .usable = false}};
  Tell(told);
  told.nodes[0].usable = true;
  Tell(told);
  Place(1, 1, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(1).parts[0].place.chunks[0].node, "n2");
}

}  // namespace
}  // namespace muster::site
