// Holds whose room is lent, all of it: booked only as far as it cannot be taken back, for as long
// as nobody is due there. Whoever is recalled leaves, and the hold is closed. Maui Sect. IV (bottom
// feeders); scheduling.md section 18.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "site/driven_site_fixture.h"

namespace muster::site {
namespace {

using schemas::ClosedAs;
using schemas::HoldState;
using schemas::PartState;

// Of two nodes of four processors; turnover 1 s.
class OnlyLent : public DrivenSite {
 protected:
  static constexpr schemas::Contract kTerms{
      .grace = Span{10}, .min_run = Span{60}, .max_recalls = 2};

  OnlyLent() {
    options_.lends_to = {"*"};
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  schemas::HoldOrder Filler(uint64_t number, int64_t seconds, schemas::Contract terms = kTerms) {
    const int64_t start = now_ms_ / 1000;
    schemas::HoldOrder order = OrderFor(number, number, start, seconds, std::nullopt, false);
    order.allowed = IntervalSet({{kNow + Span{start}, kNow + Span{start + 5}}});
    order.contract = terms;
    order.only_lent = true;
    return order;
  }
  void Fill(uint64_t number, int64_t seconds, schemas::Contract terms = kTerms) {
    Order(Filler(number, seconds, terms));
    Permit(number);
    Until(now_ms_ / 1000 + 2);
  }
  schemas::PartRecord Part(uint64_t number) const { return Hold(number).parts.at(0); }
  Instant StartOf(uint64_t number) const { return Hold(number).start; }
  // The driver says that the processes are gone that were told to end.
  void Gone(uint64_t number, std::optional<int32_t> code, int64_t ran_s) {
    driver::PartEnded ended{.token = Part(number).token, .at = Time().wall};
    ended.end = {.by = schemas::EndedBy::kRelease, .exit_code = code};
    ended.usage.elapsed = Seconds(ran_s);
    Turn({DriverSays{ended}});
  }
};

TEST_F(OnlyLent, OthersArePlannedRightBehindItsGraceHoweverLongItMayRun) {
  Fill(1, 50'000);
  Fill(2, 50'000);
  EXPECT_EQ(Part(1).state, PartState::kRunning);
  EXPECT_EQ(Part(2).state, PartState::kRunning);
  Until(300);
  Place(3, 3, 300, 1000, std::nullopt, false);
  EXPECT_LE(StartOf(3), kNow + Span{300 + 10 + 5 + 2}) << "grace, look and turnovers";
  ends_ = false;
  Until(325);
  EXPECT_EQ(Part(1).state == PartState::kEnding, Part(2).state != PartState::kEnding)
      << "one of two is enough";
}

TEST_F(OnlyLent, WhoIsRecalledIsToldWhyAndItsHoldIsClosed) {
  Place(1, 1, 0, 10'000, std::nullopt, false);
  Until(2);
  Fill(2, 50'000);
  Until(100);
  ends_ = false;
  Place(3, 3, 100, 1000, std::nullopt, false);
  Until(110);
  ASSERT_EQ(Part(2).state, PartState::kEnding);
  EXPECT_TRUE(Part(2).only_lent->recalled_at.has_value());
  EXPECT_EQ(Part(2).only_lent->recalled_for, "3");
  const auto* stop = std::get_if<driver::StopPart>(&commands_.back());
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->grace, Seconds(10));
  Gone(2, std::nullopt, 105);
  EXPECT_EQ(Hold(2).state, HoldState::kClosed);
  EXPECT_EQ(Hold(2).closed_as, ClosedAs::kEnded);
  EXPECT_EQ(Hold(2).cause.code, schemas::CauseCode::kPreempted);
  EXPECT_EQ(Hold(2).cause.subject.job, "3");
  EXPECT_EQ(Part(2).recalls, 1u);
  EXPECT_EQ(Part(2).lost, Seconds(105));
  EXPECT_EQ(Part(2).usage.elapsed, Seconds(0)) << "what is taken back is nobody's use";
  EXPECT_TRUE(Part(2).usage_final);
  Until(125);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
}

TEST_F(OnlyLent, NobodyIsKilledBeforeItsLeastRunIsOver) {
  Place(1, 1, 0, 10'000, std::nullopt, false);
  Until(2);
  Fill(2, 50'000);  // from 2 or 3 on
  Place(3, 3, 4, 1000, std::nullopt, false);
  EXPECT_GE(StartOf(3), kNow + Span{2 + 60});
  ends_ = false;
  Until(45);
  EXPECT_EQ(Part(2).state, PartState::kRunning);
  Until(60);
  EXPECT_EQ(Part(2).state, PartState::kEnding);
}

TEST_F(OnlyLent, WhatItSavedIsOnRecord) {
  Place(1, 1, 0, 10'000, std::nullopt, false);
  Until(2);
  schemas::Contract terms = kTerms;
  terms.way = schemas::RecallWay::kCheckpoint;
  Fill(2, 50'000, terms);
  const int64_t began = Part(2).started_at->milliseconds;
  Until(200);
  ends_ = false;
  Place(3, 3, 200, 1000, std::nullopt, false);
  Until(210);
  ASSERT_EQ(Part(2).state, PartState::kEnding);
  const int64_t told = Part(2).only_lent->recalled_at->milliseconds;
  Gone(2, schemas::kSavedStatus, 205);
  EXPECT_EQ(Part(2).saved, Span{(told - began) / 1000});
  EXPECT_EQ(Part(2).lost, Seconds(0));
}

TEST_F(OnlyLent, ItRunsOnWithoutOthersAndEndsLikeAnyJob) {
  Fill(1, 500);
  Until(400);
  EXPECT_EQ(Part(1).state, PartState::kRunning);
  driver::PartEnded ended{.token = Part(1).token, .at = Time().wall};
  ended.end = {.by = schemas::EndedBy::kExit, .exit_code = 0};
  ended.usage.elapsed = Seconds(398);
  Turn({DriverSays{ended}});
  EXPECT_EQ(Hold(1).closed_as, ClosedAs::kEnded);
  EXPECT_EQ(Hold(1).cause.code, schemas::CauseCode::kNone);
  EXPECT_EQ(Part(1).recalls, 0u);
  EXPECT_EQ(Part(1).usage.elapsed, Seconds(398));
}

TEST_F(OnlyLent, AUsersReleaseEndsItAtOnceEvenInItsGrace) {
  Place(1, 1, 0, 10'000, std::nullopt, false);
  Until(2);
  Fill(2, 50'000);
  Until(100);
  ends_ = false;
  Place(3, 3, 100, 1000, std::nullopt, false);
  Until(110);
  ASSERT_EQ(Part(2).state, PartState::kEnding);
  Order(schemas::ReleaseOrder{.fence = {{1}, 2}, .cause = {.code = schemas::CauseCode::kUser}});
  EXPECT_EQ(std::get<driver::StopPart>(commands_.back()).token, Part(2).token);
  Gone(2, std::nullopt, 108);
  EXPECT_EQ(Hold(2).closed_as, ClosedAs::kReleased);
  EXPECT_EQ(Part(2).recalls, 0u) << "its user ended it";
}

TEST_F(OnlyLent, AfterARestartItIsRecalledAsBefore) {
  Place(1, 1, 0, 10'000, std::nullopt, false);
  Until(2);
  Fill(2, 50'000);
  Until(100);
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  for (const uint64_t number : {1, 2}) {
    Turn({DriverSays{
        driver::PartFound{.token = Part(number).token, .finding = driver::Finding::kRunning}}});
  }
  EXPECT_EQ(Part(2).state, PartState::kRunning);
  Until(200);
  Place(3, 3, 200, 1000, std::nullopt, false);
  EXPECT_LE(StartOf(3), kNow + Span{200 + 10 + 5 + 2});
  Until(225);
  EXPECT_EQ(Hold(2).state, HoldState::kClosed);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
}

TEST_F(OnlyLent, ARestartInItsGraceTellsTheDriverToEndItOnceMore) {
  Place(1, 1, 0, 10'000, std::nullopt, false);
  Until(2);
  Fill(2, 50'000);
  Until(100);
  ends_ = false;
  Place(3, 3, 100, 1000, std::nullopt, false);
  Until(110);
  ASSERT_EQ(Part(2).state, PartState::kEnding);
  Load();
  const size_t before = commands_.size();
  Turn({DriverSays{
      driver::PartFound{.token = Part(2).token, .finding = driver::Finding::kRunning}}});
  bool told = false;
  for (size_t i = before; i < commands_.size(); ++i) {
    const auto* stop = std::get_if<driver::StopPart>(&commands_[i]);
    told = told || (stop && stop->token == Part(2).token && stop->grace == Seconds(10));
  }
  EXPECT_TRUE(told);
}

TEST_F(OnlyLent, ASiteLendsOnlyToWhomItSays) {
  options_.lends_to = {"ana"};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Order(Filler(1, 1000));
  EXPECT_EQ(Hold(1).state, HoldState::kNone) << "kim is lent nothing";
}

TEST_F(OnlyLent, RulesJudgeItByItsWholeLength) {
  options_.rules.limits = {{.duration = Span{3600}}};
  Load();
  Say(schemas::Welcome{.epoch = {1}});
  Order(Filler(1, 7200));
  EXPECT_EQ(Hold(1).state, HoldState::kNone);
  Order(Filler(2, 3600));
  EXPECT_EQ(Hold(2).state, HoldState::kCommitted);
}

TEST_F(OnlyLent, AnOrderThatContradictsItselfIsRefused) {
  schemas::HoldOrder order = Filler(1, 1000);
  order.contract.reset();
  Order(order);
  EXPECT_EQ(Hold(1).state, HoldState::kNone) << "nobody agreed to be recalled";
}

// Two share a node that has room for them and no more.
class OnOneNode : public OnlyLent {
 protected:
  OnOneNode() {
    options_.nodes = {{"n1", {{"ncpus", 8}}, {}}};
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
};

// Each alone could go on beside who is due, both cannot. Nothing happens at the site meanwhile.
TEST_F(OnOneNode, OneOfThemLeavesAGraceBeforeAnotherStarts) {
  Fill(1, 50'000);
  Fill(2, 50'000);
  ends_ = false;
  for (int64_t at = 300; at < 310; ++at) {  // at any distance from when they were booked last
    Until(at);
    const auto number = static_cast<uint64_t>(at);
    Order(OrderFor(number, number, at, 50, std::nullopt, false));
    if (StartOf(number) > kNow + Span{at + 15}) break;
    Order(schemas::ReleaseOrder{.fence = {{1}, number}});
  }
  const schemas::HoldRecord due = core_->Holds().back();
  Permit(due.order.fence.number);
  Until((due.start - kNow).seconds);
  size_t told = 0;
  for (const uint64_t filler : {1, 2}) {
    const std::optional<Moment> recalled = Part(filler).only_lent->recalled_at;
    if (!recalled) continue;
    ++told;
    EXPECT_LE(recalled->Ceiling() + kTerms.grace, due.start);
  }
  EXPECT_EQ(told, 1u);
}

// A FreePool keeps one of the two nodes for ana. Maui Sect. IV (quick turnaround).
class QuickTurnaround : public OnlyLent {
 protected:
  void Keep(bool lend, const Validity& valid = {}) {
    rules::Pool pool{.name = "quick", .resource = "ncpus", .keep = {.items = 4}, .valid = valid};
    pool.lend = lend;
    pool.open_to = Condition({.subject = Comparison::Subject::kUser, .texts = {"ana"}});
    options_.rules.pools = {pool};
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  int64_t StartsOf(const std::string& user, uint64_t number) {
    schemas::HoldOrder order = OrderFor(number, number, now_ms_ / 1000, 300, std::nullopt, false);
    order.requester.user = user;
    Order(order);
    Permit(number);
    return (StartOf(number) - kNow).seconds;
  }
};

TEST_F(QuickTurnaround, WhatIsKeptIsLentAndIsBackWithinItsGrace) {
  Keep(true);
  Fill(1, 50'000);
  Fill(2, 50'000);
  EXPECT_EQ(Part(1).state, PartState::kRunning);
  EXPECT_EQ(Part(2).state, PartState::kRunning) << "it fills what is kept for ana, too";
  Until(200);
  EXPECT_LE(StartsOf("ana", 3), 200 + 10 + 5 + 2);
  Until(220);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
}

TEST_F(QuickTurnaround, OthersFindAsMuchKeptAsBefore) {
  Keep(true);
  Fill(1, 50'000);
  Fill(2, 50'000);
  Until(200);
  StartsOf("kim", 3);
  const int64_t second = StartsOf("lee", 4);
  EXPECT_GE(second, 200 + 300) << "the other node is kept for ana, though it is lent";
}

// A rule comes into force while nobody looks, so one of them is told to leave late.
TEST_F(QuickTurnaround, WhoIsPlannedNextFindsTheNodeTakenUntilTheProcessesAreGone) {
  constexpr int64_t kInForce = 400;  // 22:20:00 UTC
  const Civil begin{2023, 11, 14, 22, 20, 0};
  Keep(false, {.kind = Validity::Kind::kBetween,
               .begin = CalendarPoint{.civil = begin, .whole_day = false, .utc = true},
               .end = {.civil = {2033, 1, 1, 0, 0, 0}, .whole_day = false, .utc = true}});
  Fill(1, 50'000);
  Fill(2, 50'000);
  ends_ = false;
  const auto leaving = [this] {
    if (Part(1).state == PartState::kEnding) return uint64_t{1};
    return Part(2).state == PartState::kEnding ? uint64_t{2} : 0;
  };
  for (int64_t at = kInForce; leaving() == 0 && at < kInForce + 90; ++at) Until(at);
  const uint64_t leaves = leaving();
  ASSERT_NE(leaves, 0u);
  const Moment told = *Part(leaves).only_lent->recalled_at;
  EXPECT_GE(StartsOf("ana", 3), (told.Ceiling() - kNow + kTerms.grace).seconds);
}

TEST_F(QuickTurnaround, WhatIsKeptWithoutLendingStaysIdle) {
  Keep(false);
  Fill(1, 50'000);
  Order(Filler(2, 50'000));
  EXPECT_EQ(Hold(2).state, HoldState::kNone);
}

// A job with a promise of its own is not kept for good on what is kept for others (L2).
TEST_F(QuickTurnaround, APromisedJobLeavesWhatIsKeptForOthers) {
  Keep(true);
  StartsOf("kim", 1);
  schemas::HoldOrder order = OrderFor(2, 2, 0, 5'000, std::nullopt, false);
  order.contract = kTerms;
  Order(order);
  Permit(2);
  Until(2);
  ASSERT_TRUE(Part(2).loan.has_value()) << "the kept node is lent before its start at 301";
  EXPECT_EQ(Part(2).loan->state, schemas::LoanState::kRunning);
  Until(100);
  EXPECT_TRUE(Part(2).loan.has_value()) << "it is not kept, though nobody is planned there";
  EXPECT_LE(StartsOf("ana", 3), 100 + 10 + 5 + 2);
  Until(120);
  EXPECT_EQ(Part(3).state, PartState::kRunning);
  EXPECT_FALSE(Part(2).loan.has_value());
  EXPECT_EQ(Part(2).recalls, 1u);
}

}  // namespace
}  // namespace muster::site
