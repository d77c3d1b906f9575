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
    site.turnover = Span{1};
    site.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"n2", {{"ncpus", 4}}, {}}};
    site.lends_to = {"kim"};
    checker_ = CheckLent({.sites = {site}});
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
  void Return(int64_t second) {
    lent_.parts[0].loan.reset();
    ++lent_.parts[0].recalls;
    Write(second, lent_);
  }
  static Moment At(int64_t second) { return {1000 * (kNow + second)}; }
  size_t Found() const { return checker_->violations().size(); }

  std::unique_ptr<Checker> checker_;
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

TEST_F(LentFaults, TwoLivesAtATime) {
  Lend(0);
  checker_->OnPartStarted(At(0), "lakes", kToken);
  checker_->OnPartStarted(At(50), "lakes", "1.1.1.2");
  EXPECT_EQ(Found(), 1u);
}

}  // namespace
}  // namespace muster::sim::lent_test
