// The room of holds without a core: orders in, records, news and driver commands out. Like a turn,
// the test advances touched holds until none is left.
#include "site/holds/holds.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "schemas/canonical.h"
#include "verifier/mirror.h"

namespace muster::site {
namespace {

using schemas::AnswerKind;
using schemas::HoldState;

// Other rooms see only what the header lists.
static_assert(!std::is_convertible_v<Holds*, Nodes*> && !std::is_convertible_v<Holds*, HoldBook*>);

constexpr Instant kZero{1'700'000'000};

class HoldsTest : public ::testing::Test {
 protected:
  HoldsTest() : holds_(TwoNodes(), Ledger(), At(0)) {
    Begin(0);
    holds_.AfterRestart();
    holds_.BeginEpoch({1});
    holds_.TakeEffects();
  }

  static Options TwoNodes() {
    Options options;
    options.federation = "campus";
    options.name = "lakes";
    options.boot_id = "b1";
    options.facts.turnover = Span{0};
    options.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"n2", {{"ncpus", 4}}, {}}};
    return options;
  }
  static verifier::Ledger Ledger() {
    auto ledger = verifier::Ledger::Load("campus", "lakes", {});
    EXPECT_TRUE(ledger.ok()) << ledger.status();
    return *std::move(ledger);
  }
  static Now At(int64_t seconds) {
    return {.boot = {seconds * 1000}, .wall = {(kZero.seconds + seconds) * 1000}};
  }
  void Begin(int64_t seconds) { holds_.BeginTurn(At(seconds)); }
  void Settle() {
    holds_.TouchDue();
    while (const auto fence = holds_.TakeTouched()) holds_.Advance(*fence);
  }
  // An order for a whole node for one minute, starting exactly at `start`.
  static schemas::HoldOrder Order(uint64_t number, int64_t start, uint64_t epoch = 1) {
    schemas::HoldOrder order{.fence = {{epoch}, number}, .request = {number}};
    order.requester.user = "kim";
    order.members = {"lakes"};
    order.part_sites = {"lakes"};
    order.parts = {{.chunks = {{.count = 1, .resources = {{"ncpus", 4}}}}, .duration = Span{60}}};
    order.payload_digest = schemas::DigestOf(order.payload);
    order.allowed = IntervalSet::Only(kZero + Span{start});
    order.stage = HoldState::kCommitted;
    order.deadline_after = Span{10};
    return order;
  }
  // An order of a co-allocation with another site: COMMITTED only after its barrier.
  static schemas::HoldOrder Joint(uint64_t number, int64_t start) {
    schemas::HoldOrder order = Order(number, start);
    order.members = {"lakes", "hills"};
    order.part_sites = {"lakes", "hills"};
    order.part_count = 2;
    order.stage = HoldState::kPrepared;
    return order;
  }
  static Fence F(uint64_t number) { return {{1}, number}; }
  HoldState StateOf(const Fence& fence) const { return holds_.ledger().Find(fence)->state; }

  Holds holds_;
};

TEST_F(HoldsTest, APermittedHoldIsStartedAtItsTimeAndClosedWhenItsPartHasEnded) {
  EXPECT_EQ(holds_.Take(Order(1, 30)), std::nullopt) << "a change is told by the feed";
  EXPECT_EQ(holds_.Take(schemas::PermitOrder{F(1), {.last_start = kZero + Span{100}}}),
            std::nullopt);
  holds_.Touch(F(1));  // as the link does after passing on an order
  Settle();
  EXPECT_TRUE(holds_.TakeEffects().driver.empty());
  ASSERT_TRUE(holds_.NextDue().has_value());

  Begin(30);
  Settle();
  const Effects effects = holds_.TakeEffects();
  ASSERT_EQ(effects.driver.size(), 1u);
  const auto& start = std::get<driver::StartPart>(effects.driver[0]);
  EXPECT_EQ(start.part_name, "1.1");
  EXPECT_FALSE(holds_.Settled().empty()) << "STARTING is on record before the driver is told";

  holds_.On(driver::PartStarted{.token = start.token, .at = At(30).wall});
  Begin(40);
  driver::PartEnded ended{.token = start.token, .at = At(40).wall};
  ended.end = {.by = schemas::EndedBy::kExit, .exit_code = 0};
  holds_.On(ended);
  Settle();
  EXPECT_EQ(StateOf(F(1)), HoldState::kClosed);
  EXPECT_EQ(holds_.ledger().Find(F(1))->closed_as, schemas::ClosedAs::kEnded);  // H19
  EXPECT_TRUE(holds_.live().empty());
}

TEST_F(HoldsTest, AnOrderWhoseTargetIsReachedIsAnsweredWithThePresentState) {  // H20
  holds_.Take(Order(1, 30));
  const auto answer = holds_.Take(Order(1, 30));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, AnswerKind::kPresent);
  EXPECT_EQ(answer->present->state, HoldState::kCommitted);
}

TEST_F(HoldsTest, WhatHasNoRoomIsCounteredAndLeavesNoRecord) {  // H4
  holds_.Take(Order(1, 30));
  holds_.Take(Order(2, 30));
  const auto answer = holds_.Take(Order(3, 30));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, AnswerKind::kCountered);
  EXPECT_EQ(holds_.ledger().Find(F(3)), nullptr);
}

// The order was on its way while the site moved the hold earlier: the better place is kept.
TEST_F(HoldsTest, AHoldIsNotReplacedForAnEarlierStartThatItHasByNow) {
  holds_.Take(Order(1, 30));
  schemas::HoldOrder next = Order(2, 90);
  next.request = {1};
  next.replaces = F(1);
  next.improves = true;
  const auto answer = holds_.Take(next);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, AnswerKind::kCountered);
  EXPECT_EQ(answer->verdict->reason->text, "the hold it would replace starts as early by now");
  EXPECT_EQ(StateOf(F(1)), HoldState::kCommitted);
  EXPECT_EQ(holds_.ledger().Find(F(2)), nullptr);

  next.improves = false;  // its user has altered the job
  EXPECT_EQ(holds_.Take(next), std::nullopt);
  EXPECT_EQ(StateOf(F(1)), HoldState::kClosed);
  EXPECT_EQ(holds_.ledger().Find(F(2))->start, kZero + Span{90});
}

// It was released while it was being started. What it uses counts, so the feed tells its start.
TEST_F(HoldsTest, APartThatBeginsWhileItIsBeingStoppedIsReportedAsStarted) {
  holds_.Take(Order(1, 30));
  holds_.Take(schemas::PermitOrder{F(1), {.last_start = kZero + Span{100}}});
  holds_.Touch(F(1));
  Begin(30);
  Settle();
  const Effects effects = holds_.TakeEffects();
  ASSERT_EQ(effects.driver.size(), 1u);
  const std::string token = std::get<driver::StartPart>(effects.driver[0]).token;
  holds_.Take(schemas::ReleaseOrder{.fence = F(1)});
  Settle();
  holds_.On(driver::PartStarted{.token = token, .at = At(31).wall});
  verifier::Mirror mirror("lakes");
  const auto report = holds_.ledger().feed().ReportAfter({});
  ASSERT_TRUE(report.has_value());
  mirror.Apply(*report);
  const schemas::MirrorRecord& told = *mirror.Find(F(1));
  EXPECT_EQ(told.started, schemas::Started::kYes);
  EXPECT_EQ(told.parts.at(0).started_at, At(31).wall);
  EXPECT_EQ(told.parts.at(0).state, schemas::PartState::kEnding);
}

TEST_F(HoldsTest, ThePermitOfAnUnknownHoldIsAnsweredUnknown) {  // H6
  const auto answer = holds_.Take(schemas::PermitOrder{F(9), {.last_start = kZero + Span{100}}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, AnswerKind::kUnknown);
}

TEST_F(HoldsTest, WhatHappensToAHoldOfTheSitesOwnUsersIsNewsAndInNoFeed) {
  const schemas::HoldOrder order = Order(1, 30, 0);
  EXPECT_EQ(holds_.PlaceOwn(order, {.latest = kZero + Span{100}}), std::nullopt);
  EXPECT_TRUE(holds_.TakeNews().empty()) << "not reported yet";
  holds_.ReportHold(order.fence);
  const std::vector<HoldNews> news = holds_.TakeNews();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].fence, order.fence);
  EXPECT_EQ(std::get<schemas::HoldChanged>(news[0].what).state, HoldState::kPermitted);
  EXPECT_EQ(news[0].start, kZero + Span{30});
  EXPECT_FALSE(news[0].started);
  EXPECT_TRUE(holds_.TakeNews().empty());
  EXPECT_EQ(holds_.ledger().feed().end().revision, Revision{});
}

TEST_F(HoldsTest, NewsSaysHowTheHoldWasThenNotHowItIsNow) {
  const schemas::HoldOrder order = Order(1, 30, 0);
  holds_.PlaceOwn(order, {.latest = kZero + Span{100}});
  holds_.ReportHold(order.fence);
  Begin(30);
  Settle();
  const std::vector<HoldNews> news = holds_.TakeNews();
  ASSERT_EQ(news.size(), 2u);
  EXPECT_FALSE(news[0].started);
  EXPECT_TRUE(news[1].started);
  EXPECT_EQ(std::get<schemas::PartChanged>(news[1].what).state, schemas::PartState::kStarting);
}

TEST_F(HoldsTest, EarlierStartsAreOfferedOnlyWhileTheMetaListens) {
  holds_.Take(Joint(1, 1000));
  EXPECT_EQ(holds_.Take(schemas::CommitOrder{F(1)}), std::nullopt);
  ASSERT_EQ(StateOf(F(1)), HoldState::kCommitted);
  holds_.Carry({.verb = schemas::SteerVerb::kResume, .nodes = {"n1"}});  // frees resources
  EXPECT_TRUE(holds_.MakeOffers().empty());
  holds_.SetLinked(true);
  holds_.Carry({.verb = schemas::SteerVerb::kResume, .nodes = {"n1"}});
  const std::vector<schemas::Offer> offers = holds_.MakeOffers();
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_EQ(offers[0].fence, F(1));
  EXPECT_LT(offers[0].starts.intervals().front().begin, kZero + Span{1000});
}

// The site may not move it before its permit; the meta, which knows when it may start, may.
TEST_F(HoldsTest, AnElementThatWaitsForItsArrayIsOfferedEarlierStarts) {
  holds_.SetLinked(true);
  schemas::HoldOrder order = Joint(1, 1000);
  order.keeps_order = true;
  holds_.Take(order);
  EXPECT_EQ(holds_.Take(schemas::CommitOrder{F(1)}), std::nullopt);
  holds_.Carry({.verb = schemas::SteerVerb::kResume, .nodes = {"n1"}});  // frees resources
  const std::vector<schemas::Offer> offers = holds_.MakeOffers();
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_LT(offers[0].starts.intervals().front().begin, kZero + Span{1000});
}

TEST_F(HoldsTest, WhatWasOfferedIsOfferedAgainOnlyAfterSomethingWasFreed) {
  holds_.SetLinked(true);
  const schemas::Steer frees{.verb = schemas::SteerVerb::kResume, .nodes = {"n1"}};
  const auto offered = [this] {
    std::vector<Fence> out;
    for (const schemas::Offer& offer : holds_.MakeOffers()) out.push_back(offer.fence);
    return out;
  };
  for (const uint64_t number : {1, 2}) {
    holds_.Take(Joint(number, 1000));
    EXPECT_EQ(holds_.Take(schemas::CommitOrder{F(number)}), std::nullopt);
    if (number == 2) Begin(5);
    holds_.Carry(frees);
    // The first gets its immediate starts; all of them were offered five seconds ago.
    EXPECT_EQ(offered().size(), number);
  }
  Begin(10);
  EXPECT_EQ(offered(), std::vector<Fence>{F(1)}) << "all of its starts; those of 2 were offered";
  Begin(60);
  EXPECT_EQ(offered(), std::vector<Fence>{});
  holds_.Carry(frees);
  EXPECT_EQ(offered().size(), 2u);
}

TEST_F(HoldsTest, WhatIsOnlyLeasedEndsWithAHigherEpoch) {  // H8
  schemas::HoldOrder order = Order(1, 30);
  order.stage = HoldState::kHeld;
  order.lease = Seconds(60);
  EXPECT_EQ(holds_.Take(order), std::nullopt);
  holds_.Take(Order(2, 30));
  holds_.BeginEpoch({2});
  EXPECT_EQ(StateOf(F(1)), HoldState::kClosed);
  EXPECT_EQ(StateOf(F(2)), HoldState::kCommitted);
}

TEST_F(HoldsTest, WhatADrainWouldMoveIsToldWithoutMovingIt) {
  holds_.Take(Order(1, 30));
  holds_.Take(Order(2, 30));
  const auto moves = holds_.TryMoves(
      {.who = "operator:root", .verb = schemas::SteerVerb::kDrain, .nodes = {"n1"}, .hard = true});
  ASSERT_EQ(moves.moves.size(), 1u) << moves.refused;
  EXPECT_EQ(moves.moves[0].after, std::nullopt) << "no other start is allowed";
  EXPECT_EQ(StateOf(F(1)), HoldState::kCommitted);
  EXPECT_EQ(StateOf(F(2)), HoldState::kCommitted);
  EXPECT_TRUE(holds_.ledger().drained().empty());
}

}  // namespace
}  // namespace muster::site
