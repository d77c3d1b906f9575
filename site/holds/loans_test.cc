// Lent room: rows L1 to L10 of protocol.md section 3.3 on the core. A job with a contract runs on
// idle nodes before its own start, is gone before others are due there, and keeps its own booking
// all the time. Maui Sect. IV (preemption).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "site/holds/loans_fixture.h"

namespace muster::site {
namespace {

using schemas::HoldState;
using schemas::LoanState;
using schemas::PartState;

// Job 9 is recalled by requeue, unless a test says otherwise.
class Loans : public LentSite {};

TEST_F(Loans, L1RunsOnIdleNodesAndKeepsItsOwnStart) {
  PlaceAll();
  ASSERT_EQ(StartOf(2), 3'000);
  ASSERT_TRUE(Part(3).loan);
  EXPECT_EQ(Part(3).loan->state, LoanState::kRunning);
  EXPECT_EQ(Part(3).loan->place.chunks[0].node, "n2");
  EXPECT_EQ(Part(3).state, PartState::kBooked);
  EXPECT_EQ(StartOf(3), 4'001);
  EXPECT_EQ(started_.back(), "9.1");
}

TEST_F(Loans, L1IsForThoseWithAContractThatTheSiteTakes) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 3'000, 1'000);
  Place(4, 10, 0, 5'000, std::nullopt, false);  // no contract
  EXPECT_FALSE(Part(4).loan);
  options_.lends_to = {"qos filler"};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  PlaceLendable(3, 9, 0, 5'000);
  EXPECT_FALSE(Part(3).loan);
}

TEST_F(Loans, L1IsNotForOneWhoseOwnStartIsSoon) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 50, 1'000);
  PlaceLendable(3, 9, 0, 60);  // n2 is idle until 49, and min_run is 60 s
  Until(40);
  EXPECT_FALSE(Part(3).loan);
}

// Its meta lets a request start from the second after it came.
TEST_F(Loans, L1IsForOneThatMayStartInASecond) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 3'000, 1'000);
  Until(10);
  schemas::HoldOrder order = OrderFor(3, 9, 0, 5'000, std::nullopt, false);
  order.contract = kTerms;
  order.earliest = kNow + Span{11};
  Order(order);
  Permit(3);
  EXPECT_FALSE(Part(3).loan);
  Until(12);
  EXPECT_TRUE(Part(3).loan);
}

TEST_F(Loans, L2IsKeptOnceThereIsRoomToItsEnd) {
  PlaceAll();
  Until(100);
  const std::string token = Part(3).loan->token;
  Order(schemas::ReleaseOrder{.fence = {{1}, 2}});
  Until(106);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
  EXPECT_EQ(Part(3).token, token);
  EXPECT_EQ(StartOf(3), 0);
  EXPECT_EQ(Hold(3).cause.code, schemas::CauseCode::kBackfilled);
  Place(4, 10, 0, 100, std::nullopt, false);
  EXPECT_EQ(StartOf(4), 5'001);  // it is booked for all it may run
  Exits(token, 106);
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
}

// Job 7 has n1 until 1,000, where job 9 follows; until then job 9 is lent n2, which is due at
// 3,000.
TEST_F(Loans, L3EndsBeforeItsOwnStartOnOtherNodes) {
  PlaceOn("n1", 1, 7, 0, 1'000);
  PlaceOn("n2", 2, 8, 3'000, 10'000);
  PlaceLendable(3, 9, 0, 5'000);
  ASSERT_EQ(StartOf(3), 1'001);
  ASSERT_TRUE(Part(3).loan);
  EXPECT_EQ(Part(3).loan->place.chunks[0].node, "n2");
  Until(980);
  EXPECT_TRUE(Part(3).loan);
  Until(1'000);
  EXPECT_FALSE(Part(3).loan);
  Exits(Part(1).token, 1'000);
  Until(1'001);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
  EXPECT_EQ(Part(3).place.chunks[0].node, "n1");
}

TEST_F(Loans, L4IsRecalledInTimeForWhoIsDueAndL5BeginsAnewAtItsOwnStart) {
  PlaceAll();
  ends_ = false;
  Until(2'980);
  ASSERT_TRUE(Part(3).loan);
  EXPECT_EQ(Part(3).loan->state, LoanState::kRunning);
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRecalled);
  EXPECT_EQ(Part(3).loan->recalled_for, "8");
  const auto* stop = std::get_if<driver::StopPart>(&commands_.back());
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->grace, Seconds(10));
  driver::PartEnded ended{.token = stop->token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .signal = 15};
  ended.usage.elapsed = Seconds(2'988);
  Turn({DriverSays{std::move(ended)}});
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(Part(3).lost, Seconds(2'988));
  EXPECT_EQ(Part(3).state, PartState::kBooked);
  EXPECT_EQ(StartOf(3), 4'001);
  Until(3'000);
  EXPECT_EQ(Part(2).state, PartState::kRunning);
  EXPECT_EQ(StartOf(2), 3'000);
  Exits(Part(2).token, 1'000);
  Until(4'001);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
}

// Maui Sect. IV: whoever saves its work goes on where it was.
TEST_F(Loans, L5BeginsAgainWithWhatIsLeftIfItHasSavedItsWork) {
  schemas::Contract saves = kTerms;
  saves.way = schemas::RecallWay::kCheckpoint;
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 3'000, 1'000);
  PlaceLendable(3, 9, 0, 5'000, saves);
  ends_ = false;
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRecalled);
  const int64_t told = (Part(3).loan->told_at->milliseconds - 1000 * kNow.seconds) / 1000;
  driver::PartEnded ended{.token = Part(3).loan->token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .exit_code = schemas::kSavedStatus};
  ended.usage.elapsed = Seconds(2'988);
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(Part(3).saved, Span{told});
  EXPECT_EQ(Part(3).lost, Seconds(0));
  Place(4, 10, 0, 100, std::nullopt, false);
  const int64_t own = StartOf(3);
  EXPECT_LE(own, 4'001);
  EXPECT_EQ(StartOf(4), own + 5'000 - told + 1);  // only what is left is booked
  Until(own - 1);
  Exits(Part(2).token, 1'000);
  Until(own);
  const driver::StartPart start = LastStart("9.1");
  EXPECT_EQ(start.walltime, Span{5'000 - told});
  EXPECT_EQ(start.environment.at("MUSTER_SAVED_S"), std::to_string(told));
  EXPECT_EQ(start.environment.at("MUSTER_RECALLS"), "1");
}

// On nodes of half the speed it may run for twice as long, saves half of the time that it ran, and
// is booked by the clock.
TEST_F(Loans, L5RunAndSaveByTheSpeedOfTheirNodes) {
  for (Node& node : options_.nodes) node.speed = kFullSpeed / 2;
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  schemas::Contract saves = kTerms;
  saves.way = schemas::RecallWay::kCheckpoint;
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 3'000, 1'000);
  PlaceLendable(3, 9, 0, 5'000, saves);
  ASSERT_TRUE(Part(3).loan);
  EXPECT_EQ(LastStart("9.1").walltime, Span{10'000});
  EXPECT_EQ(StartOf(3), 5'001);  // behind job 8, which takes twice its time
  Place(4, 10, 0, 50, std::nullopt, false);
  EXPECT_LE(StartOf(4), 60 + 1 + 5);
  Order(schemas::ReleaseOrder{.fence = {{1}, 4}});
  ends_ = false;
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRecalled);
  const int64_t told = (Part(3).loan->told_at->milliseconds - 1000 * kNow.seconds) / 1000;
  driver::PartEnded ended{.token = Part(3).loan->token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .exit_code = schemas::kSavedStatus};
  ended.usage.elapsed = Seconds(2'988);
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Part(3).saved, Span{told / 2});
  const int64_t own = StartOf(3);
  Until(own - 1);
  Exits(Part(2).token, 2'000);
  Until(own);
  EXPECT_EQ(LastStart("9.1").walltime, Span{2 * (5'000 - told / 2)});
}

TEST_F(Loans, L5AnyOtherEndOfOneThatIsRecalledLosesItsWork) {
  schemas::Contract saves = kTerms;
  saves.way = schemas::RecallWay::kCheckpoint;
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 3'000, 1'000);
  PlaceLendable(3, 9, 0, 5'000, saves);
  ends_ = false;
  Until(2'988);
  driver::PartEnded ended{.token = Part(3).loan->token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease, .exit_code = 0};
  ended.usage.elapsed = Seconds(2'988);
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Part(3).saved, Span{0});
  EXPECT_EQ(Part(3).lost, Seconds(2'988));
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
}

// Whoever comes while it is protected gets a start behind that, and has it.
TEST_F(Loans, L4TakesBackForNewcomersOnceItsProtectionIsOver) {
  PlaceAll();
  ASSERT_TRUE(Part(3).loan);
  Place(4, 10, 0, 50, std::nullopt, false);
  const int64_t told = StartOf(4);
  EXPECT_GE(told, 60);
  EXPECT_LE(told, 60 + 1 + 5);
  Until(told);
  EXPECT_EQ(Part(4).state, PartState::kRunning);
  EXPECT_LE(StartOf(4), told);  // earlier, if the other one ends before its grace is over
  EXPECT_EQ(Part(3).recalls, 1u);
}

// Maui Sect. IV: only work that is marked takes the room of others back. All else waits for it.
TEST_F(Loans, L4IsOnlyForThoseForWhomTheSiteRecalls) {
  options_.rules.recalled_for = {"qos urgent"};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Place(1, 7, 0, 10'000, std::nullopt, false);
  schemas::HoldOrder behind = OrderFor(2, 8, 3'000, 1'000, std::nullopt, false);
  behind.earliest = kNow + Span{3'000};
  behind.qos = "urgent";
  Order(behind);
  Permit(2);
  PlaceLendable(3, 9, 0, 5'000);
  ASSERT_TRUE(Part(3).loan);
  Place(4, 10, 0, 50, std::nullopt, false);
  EXPECT_GT(StartOf(4), 3'000);  // behind the lent work, if it ran to its end
  Until(200);
  EXPECT_EQ(Part(3).recalls, 0u);
  schemas::HoldOrder urgent = OrderFor(5, 11, 0, 50, std::nullopt, false);
  urgent.qos = "urgent";
  Order(urgent);
  Permit(5);
  const int64_t told = StartOf(5);
  EXPECT_LE(told, 220);
  Until(told);
  EXPECT_EQ(Part(5).state, PartState::kRunning);
  EXPECT_EQ(Part(3).recalls, 1u);
}

// Nobody who waits for lent work is met by it before it is over.
TEST_F(Loans, L1IsNotWhereSomebodyWhoWaitsForItComesFirst) {
  options_.rules.recalled_for = {"qos urgent"};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  PlaceAll();  // job 8, on n2 at 3,000, waits for whatever is lent
  EXPECT_FALSE(Part(3).loan);
  Order(schemas::ReleaseOrder{.fence = {{1}, 2}});
  EXPECT_TRUE(Part(3).loan || Part(3).state == PartState::kRunning);
}

// One that lasts too long to be lent room is tried first.
TEST_F(Loans, L1IsForAShorterOneWhereALongerOneWouldMeetWhoWaits) {
  options_.rules.recalled_for = {"qos urgent"};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  PlaceAll();
  ASSERT_FALSE(Part(3).loan);
  schemas::HoldOrder shorter = OrderFor(4, 10, 5'000, 1'000, std::nullopt, false);
  shorter.contract = kTerms;
  shorter.earliest = kNow + Span{0};
  shorter.allowed = IntervalSet::From(kNow + Span{5'000});
  Order(shorter);
  Permit(4);
  Until(70);
  EXPECT_TRUE(Part(4).loan || Part(4).state == PartState::kRunning);
}

TEST_F(Loans, L4MovesWhoIsDueToOtherNodesIfItKeepsItsStartThere) {
  PlaceAll();
  Exits(Part(1).token, 0);  // n1 is idle
  Until(2'960);
  EXPECT_EQ(Part(2).state, PartState::kBooked);
  Until(3'000);
  EXPECT_EQ(Part(2).state, PartState::kRunning);
  EXPECT_EQ(Part(3).recalls, 0u);
}

TEST_F(Loans, AreLentNothingMoreOnceRecalledTooOften) {
  PlaceAll();
  int64_t second = 0;
  for (uint64_t number = 10; number < 13; ++number) {
    Place(number, number, second, 30, std::nullopt, false);
    second = StartOf(number) + 32;
    Until(StartOf(number) + 1);
    Exits(Part(number).token, 1);
    Until(second);
  }
  EXPECT_EQ(Part(3).recalls, kTerms.max_recalls);
  EXPECT_FALSE(Part(3).loan);
}

TEST_F(Loans, L6EndsForGoodWhenItEndsByItself) {
  PlaceAll();
  Until(500);
  Exits(Part(3).loan->token, 500);
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kEnded);
  EXPECT_EQ(StartOf(3), 0);
  EXPECT_EQ(Part(3).usage.elapsed, Seconds(500));
  EXPECT_EQ(Part(3).started_at, ToMoment(kNow));
  Place(4, 10, 0, 2'000, std::nullopt, false);
  EXPECT_LE(StartOf(4), 502);  // nothing is booked for it any more
}

TEST_F(Loans, L6AnExitBeforeTheWordToEndIsNoRecall) {
  PlaceAll();
  ends_ = false;
  Until(2'988);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRecalled);
  Exits(Part(3).loan->token, 2'988);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kEnded);
  EXPECT_EQ(Part(3).recalls, 0u);
}

TEST_F(Loans, L7AReleasedHoldIsClosedOnceItsProcessesAreGone) {
  PlaceAll();
  ends_ = false;
  Until(10);
  const std::string token = Part(3).loan->token;
  Order(schemas::ReleaseOrder{.fence = {{1}, 3}});
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
  EXPECT_EQ(Part(3).loan->state, LoanState::kReleased);
  driver::PartEnded ended{.token = token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease};
  ended.usage.elapsed = Seconds(10);
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kReleased);
  EXPECT_EQ(Part(3).usage.elapsed, Seconds(10));
}

// The job got another place: if it runs here, the other place is given up.
TEST_F(Loans, L7GoesOnIfItIsReleasedUnlessItHasStarted) {
  PlaceAll();
  Order(schemas::ReleaseOrder{.fence = {{1}, 3}, .unless_started = true});
  ASSERT_TRUE(Part(3).loan);
  EXPECT_EQ(Part(3).loan->state, LoanState::kRunning);
}

TEST_F(Loans, L8GoesOnAfterARestart) {
  PlaceAll();
  Until(100);
  Restart(driver::Finding::kRunning);
  ASSERT_TRUE(Part(3).loan);
  Place(4, 10, 0, 50, std::nullopt, false);
  EXPECT_GE(StartOf(4), 100 + 10);  // what is lent is booked again
  Until(StartOf(4));
  EXPECT_EQ(Part(4).state, PartState::kRunning);
  EXPECT_EQ(Part(3).recalls, 1u);
}

TEST_F(Loans, L8TheEndOfARecalledOneIsNoEndOfTheJob) {
  PlaceAll();
  ends_ = false;
  Until(2'988);
  driver::PartEnded ended{.at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease};
  ended.usage.elapsed = Seconds(2'988);
  Restart(driver::Finding::kEnded, ended);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
  EXPECT_EQ(StartOf(3), 4'001);
}

TEST_F(Loans, L8OneThatNeverRanIsAsBefore) {
  confirms_ = false;
  PlaceAll();
  ASSERT_EQ(Part(3).loan->state, LoanState::kStarting);
  Restart(driver::Finding::kNeverRan);
  EXPECT_EQ(Part(3).recalls, 0u);
  EXPECT_EQ(StartOf(3), 4'001);
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
}

TEST_F(Loans, L8OneOfWhichNobodyCanTellHasAnUnknownOutcome) {
  PlaceAll();
  Until(100);
  Restart(driver::Finding::kCannotTell);
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
  EXPECT_EQ(Part(3).end.by, schemas::EndedBy::kUnknown);
}

TEST_F(Loans, AFailedStartLeavesTheBookingAndIsTriedAgainLater) {
  Place(1, 7, 0, 10'000, std::nullopt, false);
  PlaceAt(2, 8, 3'000, 1'000);
  confirms_ = false;
  PlaceLendable(3, 9, 0, 5'000);
  const std::string token = Part(3).loan->token;
  Turn({DriverSays{driver::PartNotStarted{.token = token, .why = "no such user"}}});
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 0u);
  EXPECT_EQ(StartOf(3), 4'001);
  Until(50);
  EXPECT_FALSE(Part(3).loan);
  Until(70);
  ASSERT_TRUE(Part(3).loan);
  EXPECT_NE(Part(3).loan->token, token);
}

// An overrun of a loan is one like any other: whoever is due waits, and is told.
TEST_F(Loans, ThatDoNotEndInTimeDelayWhoIsDueWithACause) {
  PlaceAll();
  ends_ = false;
  Until(3'010);
  ASSERT_EQ(Part(3).loan->state, LoanState::kRecalled);
  EXPECT_EQ(Part(2).state, PartState::kBooked);
  EXPECT_GT(StartOf(2), 3'000);
  EXPECT_EQ(Hold(2).cause.code, schemas::CauseCode::kOverrun);
  EXPECT_EQ(Hold(2).cause.subject.job, "9.1");
}

TEST_F(Loans, ADrainedNodeIsNotLentForLonger) {
  PlaceAll();
  Until(100);
  Say(schemas::Steer{
      .order = 1, .who = "operator:root", .verb = schemas::SteerVerb::kDrain, .nodes = {"n2"}});
  Until(120);
  EXPECT_FALSE(Part(3).loan);
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
}

// A drained node has room, but not for what would have to be booked anew.
TEST_F(Loans, L2IsNotKeptOnADrainedNode) {
  PlaceAll();
  Until(100);
  Say(schemas::Steer{
      .order = 1, .who = "operator:root", .verb = schemas::SteerVerb::kDrain, .nodes = {"n2"}});
  Order(schemas::ReleaseOrder{.fence = {{1}, 2}});
  Until(120);
  EXPECT_EQ(Part(3).recalls, 1u);
  EXPECT_EQ(Part(3).state, PartState::kBooked);
}

// A drain that leaves the hold no place at all ends its life on lent room first (H16).
TEST_F(Loans, ADroppedHoldIsClosedOnceItsProcessesAreGone) {
  PlaceAll();
  ends_ = false;
  Until(100);
  const std::string token = Part(3).loan->token;
  Say(schemas::Steer{.order = 1,
                     .who = "operator:root",
                     .verb = schemas::SteerVerb::kDrain,
                     .nodes = {"n1", "n2"},
                     .hard = true});
  EXPECT_EQ(Hold(3).state, HoldState::kPermitted);
  driver::PartEnded ended{.token = token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kRelease};
  ended.usage.elapsed = Seconds(100);
  Turn({DriverSays{std::move(ended)}});
  EXPECT_EQ(Hold(3).state, HoldState::kClosed);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kDropped);
  EXPECT_EQ(Hold(3).started, schemas::Started::kNo);
}

}  // namespace
}  // namespace muster::site
