// Reservations in the site's core: opened by their permit, planned inside of, and closed with all
// holds inside that have not started. OpenCCS Sect. 4 (rRS), protocol.md section 2b.
#include <gtest/gtest.h>

#include "site/driven_site_fixture.h"
#include "site/planning/planner.h"

namespace muster::site {
namespace {

constexpr Instant kNow = DrivenSite::kNow;
const Fence kHolder{Epoch{3}, 1};
const RequestId kReservation{7};

Options Cluster() {
  Options options;
  options.name = "lakes";
  options.facts.turnover = Span{1};
  for (const char* name : {"n1", "n2", "n3"}) {
    options.nodes.push_back({name, {{"ncpus", 4}}, {}});
  }
  return options;
}

schemas::PartDemand Cpus(int64_t cpus, int64_t seconds) {
  return {.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}}, .duration = Span{seconds}};
}

verifier::Demand Inside(schemas::PartDemand part, const std::string& user = "kim") {
  return {.parts = {std::move(part)},
          .who = {.user = user},
          .allowed = IntervalSet::From(kNow),
          .inside = kReservation};
}

// Half of n2, and n3, from 100 s to 700 s from now.
class SystemsTest : public ::testing::Test {
 protected:
  SystemsTest() : plan_(Cluster()) {
    const verifier::Demand demand{.parts = {{.chunks = {{.count = 1, .resources = {{"ncpus", 2}}},
                                                        {.count = 1, .resources = {{"ncpus", 4}}}},
                                             .duration = Span{600}}},
                                  .who = {.user = "kim"},
                                  .allowed = IntervalSet::Only(kNow + Span{100})};
    const verifier::Booked booked{kNow + Span{100},
                                  {{1, {{"n2", {{"ncpus", 2}}}, {"n3", {{"ncpus", 4}}}}}}};
    plan_.Restore(kHolder, demand, booked);
    plan_.OpenSystem({.id = kReservation,
                      .fence = kHolder,
                      .span = {kNow + Span{100}, kNow + Span{700}},
                      .owner = "kim",
                      .allow = {"ana", "@students"},
                      .nodes = {{"n2", {{"ncpus", 2}}, {}}, {"n3", {{"ncpus", 4}}, {}}}});
  }
  verifier::BookAnswer Book(uint64_t number, const verifier::Demand& demand) {
    return plan_.Book({Epoch{3}, number}, demand, kNow, std::nullopt);
  }
  static Instant StartOf(const verifier::BookAnswer& answer) {
    const auto* booked = std::get_if<verifier::Booked>(&answer);
    return booked ? booked->start : Instant{};
  }
  static schemas::VerdictEntry RefusalOf(const verifier::BookAnswer& answer) {
    const auto* refusal = std::get_if<schemas::VerdictEntry>(&answer);
    EXPECT_TRUE(refusal != nullptr);
    return refusal ? *refusal : schemas::VerdictEntry{};
  }
  SitePlanner plan_;
};

TEST_F(SystemsTest, OnlyWhatIsHeldIsThereAndOnlyInItsTime) {
  const auto whole = Book(10, Inside(Cpus(4, 600)));
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(whole));
  EXPECT_EQ(StartOf(whole), kNow + Span{100});
  EXPECT_EQ(std::get<verifier::Booked>(whole).places[0].chunks[0].node, "n3");
  EXPECT_EQ(StartOf(Book(11, Inside(Cpus(2, 600)))), kNow + Span{100});
  // The reservation does not have the other two cpus of n2.
  EXPECT_FALSE(std::holds_alternative<verifier::Booked>(Book(12, Inside(Cpus(1, 600)))));
  EXPECT_EQ(RefusalOf(Book(13, Inside(Cpus(4, 601)))).kind, schemas::VerdictKind::kNever);
}

TEST_F(SystemsTest, OneAfterTheOtherFitsAndTheLastEndsWithIt) {
  EXPECT_EQ(StartOf(Book(10, Inside(Cpus(4, 300)))), kNow + Span{100});
  EXPECT_EQ(StartOf(Book(11, Inside(Cpus(4, 299)))), kNow + Span{401});
  EXPECT_FALSE(std::holds_alternative<verifier::Booked>(Book(12, Inside(Cpus(4, 100)))));
  plan_.Free({Epoch{3}, 10});
  EXPECT_EQ(StartOf(Book(12, Inside(Cpus(4, 100)))), kNow + Span{100});
}

TEST_F(SystemsTest, ItIsOpenToItsOwnerAndThoseAllowed) {
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(10, Inside(Cpus(1, 10), "ana"))));
  const auto refused = RefusalOf(Book(11, Inside(Cpus(1, 10), "bo")));
  EXPECT_EQ(refused.kind, schemas::VerdictKind::kNever);
  EXPECT_EQ(refused.reason->code, schemas::ReasonCode::kReservation);
  verifier::Demand student = Inside(Cpus(1, 10), "bo");
  student.who.groups = {"students"};
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(11, student)));
  plan_.ShareSystem(kReservation, {"bo"});
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(12, Inside(Cpus(1, 10), "bo"))));
  EXPECT_FALSE(std::holds_alternative<verifier::Booked>(Book(13, Inside(Cpus(1, 10), "ana"))));
}

TEST_F(SystemsTest, WhatIsInsideTakesNothingOfTheRest) {
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(Book(10, Inside(Cpus(4, 600)))));
  verifier::Demand outside{.parts = {Cpus(2, 600)},
                           .who = {.user = "bo"},
                           .allowed = IntervalSet::Only(kNow + Span{100})};
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(11, outside)));  // n1
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(12, outside)));
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(13, outside)));  // the half of n2
  EXPECT_FALSE(std::holds_alternative<verifier::Booked>(Book(14, outside)));
}

TEST_F(SystemsTest, WhatWantsItsNodesAloneIsOnThoseThatAreHeldWhole) {
  schemas::PartDemand alone = Cpus(1, 100);
  alone.exclusive = true;
  const auto booked = Book(10, Inside(alone));
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(booked));
  EXPECT_EQ(std::get<verifier::Booked>(booked).places[0].chunks[0].node, "n3");
  // It does not start beside the first one on n2, although half of n2 is free: the user of the
  // other half would share the node.
  EXPECT_EQ(StartOf(Book(11, Inside(alone))), kNow + Span{201});
  plan_.CloseSystem(kReservation, kHolder);
  plan_.OpenSystem({.id = kReservation,
                    .fence = kHolder,
                    .span = {kNow + Span{100}, kNow + Span{700}},
                    .owner = "kim",
                    .nodes = {{"n2", {{"ncpus", 2}}, {}}}});
  const auto refused = RefusalOf(Book(12, Inside(alone)));
  EXPECT_EQ(refused.kind, schemas::VerdictKind::kNever);
  EXPECT_EQ(refused.reason->text, "reservation R7 has no node alone, so nothing inside can");
}

TEST_F(SystemsTest, VerdictsOfInsideAndOutsideAreGivenApartAndInOrder) {
  schemas::ProposalEntry inside{.parts = {Cpus(4, 60)}, .user = "kim"};
  inside.asked = kNow;
  inside.allowed = IntervalSet::From(kNow);
  inside.inside = kReservation;
  schemas::ProposalEntry outside = inside;
  outside.inside.reset();
  schemas::ProposalEntry other = inside;
  other.user = "bo";
  const auto verdicts = plan_.Verify({inside, outside, inside, other}, kNow);
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[0].kind, schemas::VerdictKind::kCountered);
  EXPECT_EQ(verdicts[0].start, kNow + Span{100});
  EXPECT_EQ(verdicts[1].kind, schemas::VerdictKind::kAccepted);
  EXPECT_EQ(verdicts[2].start, kNow + Span{161});
  EXPECT_EQ(verdicts[3].kind, schemas::VerdictKind::kNever);
}

TEST_F(SystemsTest, ClosedItIsNoMoreAndAnotherHolderKeepsIt) {
  plan_.CloseSystem(kReservation, {Epoch{3}, 99});
  EXPECT_EQ(plan_.HolderOf(kReservation), kHolder);
  const PlanRevision before = plan_.revision();
  plan_.CloseSystem(kReservation, kHolder);
  EXPECT_EQ(plan_.HolderOf(kReservation), std::nullopt);
  EXPECT_NE(plan_.revision(), before);
  EXPECT_EQ(RefusalOf(Book(10, Inside(Cpus(1, 10)))).kind, schemas::VerdictKind::kNever);
}

using ReservedSite = DrivenSite;

TEST_F(ReservedSite, OpensAtItsTimeStartsNothingAndEndsWell) {
  Place(1, 7, 20, 100, std::nullopt, true);
  Place(2, 8, 0, 30, kReservation, false);
  ASSERT_EQ(Hold(2).state, schemas::HoldState::kPermitted);
  EXPECT_EQ(Hold(2).start, kNow + Span{20});
  EXPECT_EQ(Hold(2).parts[0].place.chunks[0].node, Hold(1).parts[0].place.chunks[0].node);
  Until(21);
  EXPECT_EQ(Hold(1).parts[0].state, schemas::PartState::kRunning);
  ASSERT_EQ(started_, std::vector<std::string>{"8.1"});
  Until(60);
  EXPECT_EQ(Hold(1).parts[0].state, schemas::PartState::kRunning);
  Until(121);
  EXPECT_EQ(Hold(1).state, schemas::HoldState::kClosed);
  EXPECT_EQ(Hold(1).closed_as, schemas::ClosedAs::kEnded);
  EXPECT_EQ(Hold(1).parts[0].end.exit_code, 0);
  EXPECT_EQ(started_.size(), 1u);
  EXPECT_EQ(stopped_, 0);
}

TEST_F(ReservedSite, GivenBackItStopsWhatRunsAndDropsWhatWaitsInside) {
  Place(1, 7, 10, 1000, std::nullopt, true);
  Place(2, 8, 0, 200, kReservation, false);
  Place(3, 9, 0, 200, kReservation, false);
  EXPECT_EQ(Hold(3).start, kNow + Span{10 + 200 + 1});
  Until(15);
  EXPECT_EQ(Hold(2).parts[0].state, schemas::PartState::kRunning);
  Order(schemas::ReleaseOrder{{{1}, 1}, {.code = schemas::CauseCode::kUser, .who = "user:kim"}});
  EXPECT_EQ(Hold(1).state, schemas::HoldState::kClosed);
  EXPECT_EQ(stopped_, 1);
  EXPECT_EQ(Hold(2).state, schemas::HoldState::kClosed);
  EXPECT_EQ(Hold(3).closed_as, schemas::ClosedAs::kDropped);
  EXPECT_EQ(Hold(3).cause.subject.job, "R7");
  EXPECT_EQ(Hold(3).cause.code, schemas::CauseCode::kUser);
}

TEST_F(ReservedSite, GivenBackItLeavesItsNodesToWhatRunsInsideAtOnce) {
  Place(1, 7, 10, 1000, std::nullopt, true);
  Place(2, 8, 0, 200, kReservation, false);
  Place(3, 9, 0, 5000, std::nullopt, false);  // the other node
  Until(15);
  ASSERT_EQ(Hold(2).parts[0].state, schemas::PartState::kRunning);
  ends_ = false;
  schemas::Orders orders;
  orders.orders.push_back({schemas::ReleaseOrder{{{1}, 1}, {}}});
  orders.orders.push_back({OrderFor(4, 10, 0, 100, std::nullopt, false)});
  Say(std::move(orders));
  EXPECT_EQ(Hold(1).state, schemas::HoldState::kClosed);
  ASSERT_EQ(Hold(2).parts[0].state, schemas::PartState::kEnding);
  EXPECT_GE(Hold(4).start, Hold(2).start + Span{200});
}

TEST_F(ReservedSite, APartThatHasItsNodeAloneGivesNoMoreOfTheNodesThatOthersShare) {
  schemas::HoldOrder order = OrderFor(1, 7, 10, 1000, std::nullopt, true);
  order.part_count = 2;
  order.part_sites = {"lakes", "lakes"};
  schemas::PartDemand half = order.parts[0];
  half.chunks[0].resources = {{"ncpus", 2}};
  schemas::PartDemand alone = half;
  alone.index = 2;
  alone.exclusive = true;
  order.parts = {half, alone};
  Order(order);
  Permit(1);
  ASSERT_EQ(Hold(1).state, schemas::HoldState::kPermitted);
  Place(2, 8, 0, 200, kReservation, false);
  Place(3, 9, 0, 200, kReservation, false);
  EXPECT_EQ(Hold(2).start, kNow + Span{10});
  EXPECT_EQ(Hold(3).start, kNow + Span{10 + 200 + 1}) << "it got all of a node that is half held";
}

TEST_F(ReservedSite, OfTwoHoldsOfItTheNewestHasWhatIsInside) {
  Place(1, 7, 2000, 1000, std::nullopt, true);
  Place(2, 7, 10, 1000, std::nullopt, true);
  Place(3, 8, 0, 200, kReservation, false);
  EXPECT_EQ(Hold(3).start, kNow + Span{10});
  const Digest before = core_->StateDigest();
  Load();
  EXPECT_EQ(core_->StateDigest(), before);
  Say(schemas::Welcome{.epoch = {1}});
  Order(schemas::ReleaseOrder{{{1}, 2}, {}});
  EXPECT_EQ(Hold(2).state, schemas::HoldState::kClosed);
  EXPECT_EQ(Hold(3).state, schemas::HoldState::kPermitted) << "the older one is still there";
  EXPECT_EQ(Hold(3).start, kNow + Span{2000});
}

TEST_F(ReservedSite, ARestartGivesBackWhatWasInside) {
  Place(1, 7, 10, 1000, std::nullopt, true);
  Place(2, 8, 0, 200, kReservation, false);
  const Digest before = core_->StateDigest();
  Load();
  EXPECT_EQ(core_->StateDigest(), before);
  Say(schemas::Welcome{.epoch = {1}});
  Place(3, 9, 0, 200, kReservation, false);
  EXPECT_EQ(Hold(3).start, kNow + Span{211});
}

TEST_F(ReservedSite, WhatItWasExtendedByIsBookedAfterARestartToo) {
  Place(1, 7, 10, 1000, std::nullopt, true);
  const std::string node = Hold(1).parts[0].place.chunks[0].node;
  Until(20);
  ASSERT_EQ(Hold(1).parts[0].state, schemas::PartState::kRunning);
  Say(schemas::Steer{.order = 1,
                     .who = "user:kim",
                     .verb = schemas::SteerVerb::kExtend,
                     .fence = {{1}, 1},
                     .part = Hold(1).parts[0].index,
                     .span = Span{50}});
  ASSERT_EQ(Hold(1).parts[0].extended, Span{50});
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Place(2, 8, 0, 5000, std::nullopt, false);  // on the other node
  Place(3, 9, 0, 200, std::nullopt, false);
  EXPECT_EQ(Hold(3).parts[0].place.chunks[0].node, node);
  EXPECT_EQ(Hold(3).start, kNow + Span{10 + 1000 + 50 + 1});
}

TEST_F(ReservedSite, NothingInsideStartsBeforeThePermitThatOpensIt) {
  Commit(1, 7, 10, 100, std::nullopt, true);
  Place(2, 8, 0, 20, kReservation, false);
  Until(13);
  EXPECT_TRUE(started_.empty());
  EXPECT_GE(Hold(2).start, kNow + Span{12});
  EXPECT_EQ(Hold(2).cause.code, schemas::CauseCode::kNoPermit);
  Permit(1);
  Until(15);
  EXPECT_EQ(started_.size(), 1u);
}

TEST_F(ReservedSite, ATryThatFailsAfterItsReservationEndedIsTheLast) {
  Place(1, 7, 10, 20, std::nullopt, true);
  Place(2, 8, 0, 20, kReservation, false);
  confirms_ = false;
  Until(10);
  ASSERT_EQ(Hold(2).parts[0].state, schemas::PartState::kStarting);
  Until(32);
  ASSERT_EQ(Hold(1).state, schemas::HoldState::kClosed);
  ASSERT_EQ(Hold(2).parts[0].state, schemas::PartState::kStarting);
  Turn({DriverSays{driver::PartNotStarted{.token = Hold(2).parts[0].token, .why = "no fork"}}});
  EXPECT_EQ(Hold(2).closed_as, schemas::ClosedAs::kDropped);
  EXPECT_EQ(Hold(2).cause.subject.job, "R7");
  Until(60);
  EXPECT_EQ(started_.size(), 1u);
}

}  // namespace
}  // namespace muster::site
