// The checker of lent room complains about faults planted by hand, and is silent without them.
#include <gtest/gtest.h>

#include "sim/checkers/checker.h"

namespace muster::sim::lent_test {
namespace {

using schemas::HoldRecord;
using schemas::HoldState;
using schemas::LoanState;

constexpr int64_t kNow = 1'000'000;  // seconds
constexpr char kToken[] = "1.1.1.1";

// Job 9 of kim has a node of lakes at 5,000 s from now, and is lent one until then.
class LentFaults : public ::testing::Test {
 protected:
  LentFaults() {
    site::Options site;
    site.name = "lakes";
    site.facts.turnover = Span{1};
    site.nodes = {{"n1", {{"ncpus", 4}, {"mem", 8}}, {}}, {"n2", {{"ncpus", 4}, {"mem", 8}}, {}}};
    site.lends_to = {"kim"};
    checker_ = CheckLent({.sites = {site}});
    site.rules.recalled_for = {"qos urgent"};
    of_some_ = CheckLent({.sites = {site}});
    lent_.order.fence = {{1}, 1};
    lent_.order.request = {9};
    lent_.order.requester.user = "kim";
    lent_.order.members = {"lakes"};
    lent_.order.contract =
        schemas::Contract{.grace = Span{10}, .min_run = Span{60}, .max_recalls = 1};
    lent_.state = HoldState::kPermitted;
    lent_.start = {kNow + 5'000};
    lent_.parts = {{.index = 1, .place = {.index = 1, .chunks = {{"n1", {{"ncpus", 4}}}}}}};
    due_.order.fence = {{1}, 2};
    due_.state = HoldState::kPermitted;
    due_.start = {kNow + 100};
    due_.parts = {{.index = 1, .place = {.index = 1, .chunks = {{"n2", {{"ncpus", 4}}}}}}};
  }
  void Write(int64_t second, const HoldRecord& hold) {
    checker_->OnSiteWrites(At(second), "lakes", {{"hold/x", schemas::SiteRecord{hold}}});
  }
  void Lend(int64_t second) {
    lent_.parts[0].loan =
        schemas::Loan{.place = {.index = 1, .chunks = {{"n2", {{"ncpus", 4}}}}}, .token = kToken};
    lent_.parts[0].loan->since = At(second);
    Write(second, lent_);
  }
  void Recall(int64_t second, BootSpan grace = Seconds(10)) {
    lent_.parts[0].loan->state = LoanState::kRecalled;
    lent_.parts[0].loan->recalled_for = "8";
    Write(second, lent_);
    checker_->OnDriverCommand(At(second), "lakes",
                              driver::StopPart{.token = kToken, .grace = grace});
  }
  void Pause(int64_t second) {
    lent_.parts[0].loan->state = LoanState::kPaused;
    lent_.parts[0].loan->paused_at = At(second);
    lent_.parts[0].loan->recalled_for = "8";
    Write(second, lent_);
  }
  void Resume(int64_t second) {
    schemas::Loan& loan = *lent_.parts[0].loan;
    loan.state = LoanState::kRunning;
    loan.paused = loan.paused + BootSpan{At(second).milliseconds - loan.paused_at->milliseconds};
    loan.paused_at.reset();
    Write(second, lent_);
  }
  void Return(int64_t second) {
    lent_.parts[0].loan.reset();
    ++lent_.parts[0].recalls;
    Write(second, lent_);
  }
  static Moment At(int64_t second) { return {1000 * (kNow + second)}; }
  size_t Found() const { return checker_->violations().size(); }

  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Checker> of_some_;  // of the same site, if it recalls for urgent work alone
  HoldRecord lent_;
  HoldRecord due_;
};

TEST_F(LentFaults, NoneIfWhoIsDueGetsItsNodesInTime) {
  Write(0, lent_);
  Write(0, due_);
  Lend(0);
  checker_->OnPartStarted(At(0), "lakes", kToken);
  Recall(88);
  checker_->OnPartGone(At(90), "lakes", kToken);
  Return(90);
  checker_->OnPartStarted(At(5'000), "lakes", "1.1.1.2");
  EXPECT_EQ(Found(), 0u);
}

TEST_F(LentFaults, LentWithoutAContract) {
  lent_.order.contract.reset();
  Lend(0);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, LentToWhomTheSiteDoesNotLend) {
  lent_.order.requester.user = "lee";
  Lend(0);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, LentBeforeItMayBegin) {
  lent_.order.earliest = {kNow + 10};
  Lend(0);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, KilledUnderProtection) {
  Write(0, due_);
  Lend(45);
  Recall(88);  // and killed at 98, 53 s after it began
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, KilledWithoutItsGrace) {
  Write(0, due_);
  Lend(0);
  Recall(88, Seconds(5));
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, RecalledForNobody) {
  Lend(0);
  Recall(88);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, RecalledForOneThatHasToWait) {
  checker_ = std::move(of_some_);
  due_.order.request = {8};
  Write(0, due_);
  Lend(0);
  Recall(88);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, NoneIfItIsRecalledForWhomTheSiteNames) {
  checker_ = std::move(of_some_);
  due_.order.request = {8};
  due_.order.qos = "urgent";
  Write(0, due_);
  Lend(0);
  Recall(88);
  EXPECT_EQ(Found(), 0u);
}

TEST_F(LentFaults, ARecallThatCountsTwice) {
  Write(0, due_);
  Lend(0);
  Recall(88);
  ++lent_.parts[0].recalls;
  Return(90);
  EXPECT_GE(Found(), 1u);
}

TEST_F(LentFaults, LentAfterTheLastRecall) {
  Write(0, due_);
  Lend(0);
  Recall(88);
  Return(90);
  due_.state = HoldState::kClosed;
  Write(150, due_);
  EXPECT_EQ(Found(), 0u);
  Lend(200);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, ALoanThatNobodyTakesBack) {
  Write(0, due_);
  Lend(0);
  EXPECT_EQ(Found(), 0u);
  Write(110, lent_);
  EXPECT_EQ(Found(), 1u);
}

// Job 9 runs past its protection when job 8 is due, under a contract to suspend it.
class PauseFaults : public LentFaults {
 protected:
  PauseFaults() {
    lent_.order.contract->way = schemas::RecallWay::kSuspend;
    Write(0, due_);
    Lend(0);
    lent_.parts[0].loan->state = LoanState::kRunning;
    Write(1, lent_);
  }
};

TEST_F(PauseFaults, NoneIfWhoIsDueHasItsCoresAndItGoesOn) {
  Pause(88);
  Write(110, lent_);  // job 8 has waited for 10 s by now, and not for these cores
  due_.state = HoldState::kClosed;
  Write(200, due_);
  Resume(200);
  EXPECT_EQ(Found(), 0u);
}

TEST_F(PauseFaults, PausedWithoutAContractForThat) {
  lent_.order.contract->way = schemas::RecallWay::kRequeue;
  Write(2, lent_);
  Pause(88);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(PauseFaults, PausedUnderItsProtection) {
  due_.start = {kNow + 40};
  Write(20, due_);
  Pause(30);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(PauseFaults, PausedForNobody) {
  due_.state = HoldState::kClosed;
  Write(50, due_);
  Pause(88);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(PauseFaults, APauseThatCountsAsARecall) {
  ++lent_.parts[0].recalls;
  Pause(88);
  EXPECT_GE(Found(), 1u);
}

// Its memory is in the way of job 8, and nobody ends it.
TEST_F(PauseFaults, PausedWhereMoreThanItsCoresIsDue) {
  lent_.parts[0].loan->place.chunks[0].resources.Set("mem", 6);
  due_.parts[0].place.chunks[0].resources.Set("mem", 6);
  Write(2, due_);
  Pause(88);
  EXPECT_EQ(Found(), 0u);
  Write(110, lent_);
  EXPECT_EQ(Found(), 1u);
}

// The same jobs as processes: job 9 has 4 processors and 6 of 8 units of memory.
class PausedProcesses : public PauseFaults {
 protected:
  PausedProcesses() {
    site::Options site;
    site.name = "lakes";
    site.nodes = {{"n2", {{"ncpus", 4}, {"mem", 8}}, {}}};
    checker_ = CheckMachines({.sites = {site}});
    lent_.order.parts = {{.index = 1}};
    due_.order.parts = {{.index = 1}};
    lent_.parts[0].loan->place.chunks[0].resources.Set("mem", 6);
    Write(1, lent_);
    checker_->OnPartStarted(At(1), "lakes", kToken);
  }
  void Begin(int64_t second, int64_t mem) {
    due_.parts[0].token = "1.2.1.1";
    due_.parts[0].place.chunks[0].resources.Set("mem", mem);
    Write(second, due_);
    checker_->OnPartStarted(At(second), "lakes", "1.2.1.1");
  }
  void Tell(int64_t second, const driver::Command& command) {
    checker_->OnDriverCommand(At(second), "lakes", command);
  }
};

TEST_F(PausedProcesses, NoneIfOthersHaveItsCoresAndNoMore) {
  Pause(88);
  Tell(88, driver::PausePart{kToken});
  Begin(100, 2);
  checker_->OnPartGone(At(150), "lakes", "1.2.1.1");
  Resume(150);
  Tell(150, driver::ResumePart{kToken});
  EXPECT_EQ(Found(), 0u);
}

TEST_F(PausedProcesses, ItsMemoryIsGivenAway) {
  Pause(88);
  Tell(88, driver::PausePart{kToken});
  Begin(100, 3);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(PausedProcesses, ItsCoresAreGivenAwayAndItIsNotToldToPause) {
  Pause(88);
  Begin(100, 2);
  EXPECT_EQ(Found(), 1u);
}

TEST_F(PausedProcesses, PausedWithoutARecordOfIt) {
  Tell(88, driver::PausePart{kToken});
  Write(90, lent_);  // the turn is over, and neither has it gone on nor is it to end
  EXPECT_EQ(Found(), 1u);
}

TEST_F(PausedProcesses, GoesOnWhileOthersAreOnItsCores) {
  Pause(88);
  Tell(88, driver::PausePart{kToken});
  Begin(100, 2);
  Resume(120);
  Tell(120, driver::ResumePart{kToken});
  EXPECT_EQ(Found(), 1u);
}

TEST_F(LentFaults, TwoLivesAtATime) {
  Lend(0);
  checker_->OnPartStarted(At(0), "lakes", kToken);
  checker_->OnPartStarted(At(50), "lakes", "1.1.1.2");
  EXPECT_EQ(Found(), 1u);
}

}  // namespace
}  // namespace muster::sim::lent_test
