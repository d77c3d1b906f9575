// Start notice at the site: a move by H17 leaves the user the whole notice, whatever is freed.
// protocol.md sections 3.1 and 5.
#include <gtest/gtest.h>

#include "site/alone_site_fixture.h"

namespace muster::site {
namespace {

using schemas::RequestState;

class StartNoticeTest : public AloneSite {
 protected:
  StartNoticeTest() { options_.nodes = {{"n1", {{"ncpus", 4}}, {}}}; }

  // A job that uses the whole machine until the test ends it.
  std::string Occupied(int64_t seconds) {
    Boot();
    const uint64_t number = Submit("lee", Spec(4, seconds));
    Advance(1);
    const std::string token = Started("lakes-" + std::to_string(number) + ".1")->token;
    Runs(token);
    return token;
  }
  uint64_t SubmitInteractive(std::optional<Span> notice) {
    schemas::RequestSpec spec = Spec(4, 30);
    spec.request_class = schemas::RequestClass::kInteractive;
    spec.start_notice = notice;
    return Submit("kim", spec);
  }
  Instant StartOf(uint64_t number) {
    for (const schemas::HoldRecord& hold : core_->Holds()) {
      if (hold.order.request.value == number) return hold.start;
    }
    return {};
  }
  void AlterNotice(uint64_t number, Span notice) {
    schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {{number}}};
    act.changes = schemas::Alteration{.start_notice = notice};
    Get<schemas::Accepted>("kim", act);
  }
};

TEST_F(StartNoticeTest, AMoveGivesTheWholeNoticeHoweverLongAgoTheJobCame) {
  const std::string token = Occupied(2000);
  const uint64_t job = SubmitInteractive(Span{60});
  const Instant late = StartOf(job);
  EXPECT_GE(late, At().wall.Floor() + Span{1990});
  Advance(100);
  Ends(token, 0);
  EXPECT_EQ(StartOf(job), At().wall.Ceiling() + Span{60}) << "and not at once";
  EXPECT_EQ(Job(job).start_notice_s, Span{60});
}

TEST_F(StartNoticeTest, WithinItsNoticeAJobIsNotMovedAtAll) {
  const std::string token = Occupied(100);
  const uint64_t job = SubmitInteractive(std::nullopt);
  const Instant promised = StartOf(job);
  Advance(30);
  Ends(token, 0);
  Advance(10);
  EXPECT_EQ(StartOf(job), promised);
  EXPECT_EQ(Job(job).start_notice_s, Span{15 * 60}) << "a quarter of an hour unless they say less";
}

TEST_F(StartNoticeTest, WhereAtOnceIsFineTheJobStartsAtOnce) {
  const std::string token = Occupied(2000);
  const uint64_t job = SubmitInteractive(Span{0});
  Advance(10);
  Ends(token, 0);
  Advance(2);
  ASSERT_TRUE(Started("lakes-" + std::to_string(job) + ".1"));
}

TEST_F(StartNoticeTest, AFirstPlacingMayStartAtOnce) {
  Boot();
  const uint64_t job = SubmitInteractive(std::nullopt);
  Advance(2);
  EXPECT_TRUE(Started("lakes-" + std::to_string(job) + ".1"));
}

TEST_F(StartNoticeTest, ItsUserMayChangeTheNoticeOfWhatIsPromised) {
  const std::string token = Occupied(2000);
  const uint64_t job = SubmitInteractive(std::nullopt);
  Advance(10);
  AlterNotice(job, Span{0});
  EXPECT_EQ(Job(job).start_notice_s, Span{0});
  Ends(token, 0);
  Advance(2);
  EXPECT_TRUE(Started("lakes-" + std::to_string(job) + ".1"));
}

TEST_F(StartNoticeTest, WhatIsPlacedAgainComesNoNearerThanItsUserHasNoticeOf) {
  const std::string token = Occupied(300);
  schemas::RequestSpec spec = Spec(4, 30);
  spec.start_notice = Span{200};
  const uint64_t job = Submit("kim", spec);
  const Instant promised = StartOf(job);
  // The job's node is taken out; then another node is free at once.
  options_.nodes = {{"n2", {{"ncpus", 2}}, {}}};
  Boot();
  ASSERT_EQ(Job(job).state, RequestState::kWaiting);
  options_.nodes = {{"n2", {{"ncpus", 4}}, {}}};
  Boot();
  ASSERT_EQ(Job(job).state, RequestState::kPromised);
  Advance(20);
  EXPECT_FALSE(Started("lakes-" + std::to_string(job) + ".1"));
  EXPECT_GE(Job(job).figures.starts_by->at, At().wall.Floor() + Span{180});
  EXPECT_LE(Job(job).figures.starts_by->at, promised + Span{1});
}

TEST_F(StartNoticeTest, ANoticeBelowZeroOrBeyondTheWindowIsRefused) {
  Boot();
  schemas::RequestSpec spec = Spec(1, 30);
  spec.start_notice = Span{-5};
  EXPECT_EQ(Refusal(spec).message, "--start-notice: -5 s");
  spec.start_notice = Span{120};
  spec.start_by = At().wall.Floor() + Span{60};
  EXPECT_EQ(Refusal(spec).message, "--start-notice: 2m is more than its window, of 1m");
  spec.start_by.reset();
  spec.at = At().wall.Floor() + Span{60};
  EXPECT_EQ(Refusal(spec).code, "usage");
  spec.at.reset();
  EXPECT_GT(Submit("kim", spec), 0u);
}

}  // namespace
}  // namespace muster::site
