// Running parts. A start that the driver delays is a move with a cause (H15), and the nodes are
// booked for as long as the part runs. A part that gets more sets is judged by its originally
// ordered duration. protocol.md sections 5 and 10 (G2).
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

#include "site/driven_site_fixture.h"

namespace muster::site {
namespace {

using LateStart = DrivenSite;
using schemas::CauseCode;
using schemas::HoldState;

TEST_F(LateStart, IsAMoveWithItsCauseAndKeepsItsNodesAsLongAsItRuns) {
  confirms_ = false;
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(10);
  confirms_ = true;
  ASSERT_EQ(Hold(1).parts[0].state, schemas::PartState::kStarting);
  Until(17);
  Turn({DriverSays{driver::PartStarted{.token = Hold(1).parts[0].token, .at = Time().wall}}});
  EXPECT_EQ(Hold(1).start, kNow + Span{17});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kLate);
  Place(2, 8, 0, 5000, std::nullopt, false);  // on the other node
  Place(3, 9, 0, 50, std::nullopt, false);
  EXPECT_EQ(Hold(3).start, kNow + Span{17 + 100 + 1});
}

TEST_F(LateStart, MovesWhoIsInItsWay) {
  confirms_ = false;
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(10);
  confirms_ = true;
  Place(2, 8, 0, 5000, std::nullopt, false);  // on the other node
  Place(3, 9, 0, 50, std::nullopt, false);
  ASSERT_EQ(Hold(3).start, kNow + Span{10 + 100 + 1});
  Until(17);
  Turn({DriverSays{driver::PartStarted{.token = Hold(1).parts[0].token, .at = Time().wall}}});
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
  EXPECT_EQ(Hold(3).start, kNow + Span{17 + 100 + 1});
  EXPECT_EQ(Hold(3).cause.code, CauseCode::kOverrun);
  EXPECT_EQ(Hold(3).cause.subject.job, "7.1");
}

// While its start was awaited its booking grew, so that no other hold was planned on its node.
TEST_F(LateStart, ThatNeverCameIsBookedAgainForItsOwnTime) {
  options_.allocate_timeout = Span{20};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Place(2, 8, 0, 5000, std::nullopt, false);
  Until(2);
  confirms_ = ends_ = false;
  Place(1, 7, 10, 3, std::nullopt, false);  // on the other node
  Place(3, 9, 14, 50, std::nullopt, false);
  Until(30);
  Turn({DriverSays{driver::PartNotStarted{.token = Hold(1).parts[0].token, .why = "stopped"}}});
  EXPECT_EQ(Hold(1).start, kNow + Span{30});
  Until(31);
  EXPECT_EQ(Hold(3).start, kNow + Span{30 + 3 + 1});
}

// protocol.md section 3.3: a part that has run is not placed again because somebody at its machine
// has ended it.
TEST_F(LateStart, APartThatSomebodyElseHasEndedHasFailed) {
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(20);
  driver::PartEnded ended{.token = Hold(1).parts[0].token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .exit_code = 0, .text = "Slurm: CANCELLED"};
  Turn({DriverSays{ended}});
  EXPECT_EQ(Hold(1).parts[0].end.by, schemas::EndedBy::kExit);
  EXPECT_EQ(Hold(1).parts[0].end.signal, SIGTERM);
  EXPECT_FALSE(Hold(1).parts[0].end.exit_code.has_value());
  EXPECT_EQ(Hold(1).parts[0].end.text, "Slurm: CANCELLED");
}

TEST_F(LateStart, WithinTheSlackOfItsPromiseIsNone) {
  confirms_ = false;
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(11);
  Turn({DriverSays{driver::PartStarted{.token = Hold(1).parts[0].token, .at = Time().wall}}});
  EXPECT_EQ(Hold(1).start, kNow + Span{10});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kNone);
}

TEST_F(LateStart, OfOneThatWaitsForItsPermitIsAStartAfterItsDeadline) {
  for (const int64_t began : {20, 21}) {
    store_.clear();
    incarnation_ = 0;
    now_ms_ = 0;
    Load();
    Say(schemas::Welcome{.epoch = {1}});
    confirms_ = false;
    tail_ = Span{10};
    Place(1, 7, 10, 100, std::nullopt, false);
    Until(began);
    Turn({DriverSays{driver::PartStarted{.token = Hold(1).parts[0].token, .at = Time().wall}}});
    EXPECT_EQ(Hold(1).start, kNow + Span{began > 20 ? began : 10});
    EXPECT_EQ(Hold(1).cause.code, began > 20 ? CauseCode::kLate : CauseCode::kNone);
  }
}

// Starts are told in whole seconds. Here neither turnover nor slack covers the rest of a second by
// which the part before began late, and by which it also ends late.
TEST_F(LateStart, WithinItsSecondIsNoneWhereDriversNeedNoTime) {
  options_.facts.turnover = options_.facts.start_slack = Span{0};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Place(2, 8, 0, 5000, std::nullopt, false);  // on the other node
  confirms_ = false;
  Place(1, 7, 10, 100, std::nullopt, false);
  Place(3, 9, 110, 50, std::nullopt, false);
  Until(10);
  now_ms_ += 100;
  Turn({DriverSays{driver::PartStarted{.token = Hold(1).parts[0].token, .at = Time().wall}}});
  now_ms_ = 110'000;
  Turn({});
  EXPECT_EQ(Hold(3).start, kNow + Span{110});
  now_ms_ += 100;
  driver::PartEnded ended{.token = Hold(1).parts[0].token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kExit};
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Hold(3).start, kNow + Span{110});
  EXPECT_EQ(Hold(3).parts[0].state, schemas::PartState::kStarting);
  EXPECT_EQ(Hold(3).cause.code, CauseCode::kNone);
}

// The daemon was down when the part began.
TEST_F(LateStart, IsKnownWhenThePartIsFoundAfterARestart) {
  confirms_ = false;
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(10);
  options_.facts.finds_parts = true;
  now_ms_ = 30'000;
  Load();
  driver::PartFound found{.token = Hold(1).parts[0].token, .finding = driver::Finding::kRunning};
  found.started_at = Moment{kNow.seconds * 1000 + 17'000};
  Turn({DriverSays{found}});
  EXPECT_EQ(Hold(1).start, kNow + Span{17});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kSiteDown);
}

// The daemon was down when the part was to be handed over.
TEST_F(LateStart, OfASiteThatWasDownIsAMoveThatNamesTheSite) {
  Place(1, 7, 10, 100, std::nullopt, false);
  options_.facts.finds_parts = true;
  now_ms_ = 40'000;
  Load();
  Turn({});
  EXPECT_GT(Hold(1).start, kNow + Span{10});
  EXPECT_EQ(Hold(1).cause.code, CauseCode::kSiteDown);
  EXPECT_EQ(Hold(1).cause.subject.site, options_.name);
  EXPECT_EQ(Hold(1).cause.who, "site:" + options_.name);
}

using Resized = DrivenSite;

TEST_F(Resized, IsJudgedByTheTimeItAskedForAndNotByWhatIsLeftOfIt) {
  // A pool keeps one node for jobs shorter than 20 s.
  rules::Pool quick{.name = "quick", .resource = "ncpus"};
  quick.keep.items = 4;
  quick.open_to = Condition({.subject = Comparison::Subject::kDuration,
                             .op = Comparison::Operator::kLess,
                             .numbers = {20}});
  for (const bool kept : {true, false}) {
    store_.clear();
    if (kept) options_.rules.pools = {quick};
    if (!kept) options_.rules.pools.clear();
    incarnation_ = 0;
    now_ms_ = 0;
    Load();
    Say(schemas::Welcome{.epoch = {1}});
    most_ = 2;
    Place(1, 7, 10, 100, std::nullopt, false);
    Until(95);
    ASSERT_EQ(Hold(1).parts[0].state, schemas::PartState::kRunning);
    Say(schemas::Steer{.order = 1,
                       .who = "user:kim",
                       .verb = schemas::SteerVerb::kResize,
                       .fence = {{1}, 1},
                       .part = Hold(1).parts[0].index,
                       .counts = {2}});
    EXPECT_EQ(Hold(1).parts[0].place.chunks.size(), kept ? 1u : 2u);
  }
}

struct ExclusiveResized : Resized {
  void Run(uint32_t most) {
    Run({{.count = 1, .resources = {{"ncpus", 2}}, .least = 1, .most = most}});
  }
  void Run(std::vector<schemas::Chunk> chunks) {
    schemas::HoldOrder order = OrderFor(1, 7, 0, 100, std::nullopt, false);
    order.parts[0].exclusive = true;
    order.parts[0].chunks = std::move(chunks);
    Order(order);
    Permit(1);
    Until(5);
    ASSERT_EQ(Hold(1).parts[0].state, schemas::PartState::kRunning);
  }

  // Resizes the part of hold 1; returns the nodes of its sets after that.
  std::vector<std::string> NodesWith(uint64_t sets) { return NodesWith(std::vector{sets}); }
  std::vector<std::string> NodesWith(std::vector<uint64_t> sets) {
    Say(schemas::Steer{.order = ++orders_,
                       .who = "user:kim",
                       .verb = schemas::SteerVerb::kResize,
                       .fence = {{1}, 1},
                       .part = Hold(1).parts[0].index,
                       .counts = std::move(sets)});
    std::vector<std::string> nodes;
    const schemas::HoldRecord hold = Hold(1);
    for (const auto& set : hold.parts[0].place.chunks) nodes.push_back(set.node);
    return nodes;
  }

 private:
  uint64_t orders_ = 0;
};

TEST_F(ExclusiveResized, GrowsOnItsOwnNodesFirst) {
  Run(3);
  EXPECT_EQ(NodesWith(2), (std::vector<std::string>{"n1", "n1"}));
  EXPECT_EQ(NodesWith(3), (std::vector<std::string>{"n1", "n1", "n2"}));
}

TEST_F(ExclusiveResized, GrowsOnItsOwnNodesAndOnOthersAtOnce) {
  Run(4);
  EXPECT_EQ(NodesWith(4), (std::vector<std::string>{"n1", "n1", "n2", "n2"}));
  EXPECT_EQ(NodesWith(1), (std::vector<std::string>{"n1"}));
}

TEST_F(ExclusiveResized, GrowsNoFurtherThanItsUserMay) {
  const auto limit = [](int64_t cores) {
    rules::Limit limit{.who = rules::kEvery, .resource = "ncpus"};
    limit.items.items = cores;
    return limit;
  };
  for (const int64_t most : {3, 4, 5, 6}) {
    store_.clear();
    options_.rules.limits = {limit(most)};
    incarnation_ = 0;
    now_ms_ = 0;
    Load();
    Say(schemas::Welcome{.epoch = {1}});
    Run(3);
    EXPECT_EQ(NodesWith(3).size(), most < 6 ? 1u : 3u) << most;
    EXPECT_EQ(NodesWith(2).size(), most < 4 ? 1u : 2u) << most;
  }
}

// Rules also judge the sets that fit on its own nodes, if others have to go elsewhere.
TEST_F(ExclusiveResized, GrowsNoFurtherThanItsUserMayWhereOnlySomeOfItFitsInside) {
  for (Node& node : options_.nodes) node.resources.Set("mem", 8);
  for (const int64_t most : {3, 4}) {
    store_.clear();
    rules::Limit limit{.who = rules::kEvery, .resource = "mem"};
    limit.items.items = most;
    options_.rules.limits = {limit};
    incarnation_ = 0;
    now_ms_ = 0;
    Load();
    Say(schemas::Welcome{.epoch = {1}});
    Run({{.count = 1, .resources = {{"ncpus", 1}, {"mem", 2}}, .least = 1, .most = 2},
         {.count = 1, .resources = {{"ncpus", 2}}, .least = 1, .most = 2}});
    const std::vector<std::string> nodes = NodesWith({2, 2});
    EXPECT_EQ(nodes, most < 4 ? (std::vector<std::string>{"n1", "n1"})
                              : (std::vector<std::string>{"n1", "n1", "n1", "n2"}));
  }
}

TEST_F(ExclusiveResized, GrowsInsideByLimitsThatArePartsOfTheWholeMachine) {
  rules::Limit limit{.who = rules::kEvery, .resource = "ncpus"};
  limit.items.percent = 100;
  options_.rules.limits = {limit};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Run(2);
  Place(2, 8, 10, 100, std::nullopt, false);
  EXPECT_EQ(Hold(2).parts[0].place.chunks.front().node, "n2");
  EXPECT_EQ(NodesWith(2), (std::vector<std::string>{"n1", "n1"}));
}

TEST_F(Resized, IsNoJobMore) {
  rules::Limit limit{.who = rules::kEvery, .resource = rules::kJobs};
  limit.items.items = 1;
  options_.rules.limits = {limit};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  most_ = 2;
  Place(1, 7, 10, 100, std::nullopt, false);
  Until(20);
  ASSERT_EQ(Hold(1).parts[0].state, schemas::PartState::kRunning);
  Say(schemas::Steer{.order = 1,
                     .who = "user:kim",
                     .verb = schemas::SteerVerb::kResize,
                     .fence = {{1}, 1},
                     .part = Hold(1).parts[0].index,
                     .counts = {2}});
  EXPECT_EQ(Hold(1).parts[0].place.chunks.size(), 2u);
}

}  // namespace
}  // namespace muster::site
