// Reservations on the site's core: opened by their permit, planned inside of, closed with what has
// not started. OpenCCS Sect. 4 (rRS), protocol.md section 2b.
#include <gtest/gtest.h>

#include "site/planner.h"
#include "site/systems.h"

namespace muster::site {
namespace {

constexpr Instant kNow{1'700'000'000};
const Fence kHolder{Epoch{3}, 1};
const RequestId kReservation{7};

Options Cluster() {
  Options options;
  options.name = "lakes";
  options.turnover = Span{1};
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
          .user = user,
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
                                  .user = "kim",
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
  // n2 has two more cpus, which are not the reservation's.
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
  student.groups = {"students"};
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(11, student)));
  plan_.ShareSystem(kReservation, {"bo"});
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(12, Inside(Cpus(1, 10), "bo"))));
  EXPECT_FALSE(std::holds_alternative<verifier::Booked>(Book(13, Inside(Cpus(1, 10), "ana"))));
}

TEST_F(SystemsTest, WhatIsInsideTakesNothingOfTheRest) {
  ASSERT_TRUE(std::holds_alternative<verifier::Booked>(Book(10, Inside(Cpus(4, 600)))));
  verifier::Demand outside{
      .parts = {Cpus(2, 600)}, .user = "bo", .allowed = IntervalSet::Only(kNow + Span{100})};
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(11, outside)));  // n1
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(12, outside)));
  EXPECT_TRUE(std::holds_alternative<verifier::Booked>(Book(13, outside)));  // the half of n2
  EXPECT_FALSE(std::holds_alternative<verifier::Booked>(Book(14, outside)));
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

}  // namespace
}  // namespace muster::site
