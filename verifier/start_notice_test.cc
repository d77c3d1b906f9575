// Word before an earlier start.
#include "verifier/start_notice.h"

#include <gtest/gtest.h>

namespace muster::verifier::start_notice_test {
namespace {

constexpr Moment kNow{1'000'400};  // in the middle of a second

schemas::RequestSpec Interactive() {
  return {.request_class = schemas::RequestClass::kInteractive};
}

TEST(StartNotice, InteractiveJobsHaveAQuarterOfAnHourUnlessTheirUserSaysOtherwise) {
  EXPECT_EQ(StartNoticeOf({}), Span{0});
  EXPECT_EQ(StartNoticeOf(Interactive()), Span{900});
  schemas::RequestSpec spec = Interactive();
  spec.start_notice = Span{0};
  EXPECT_EQ(StartNoticeOf(spec), Span{0}) << "at once is fine";
  spec = {.start_notice = Span{120}};
  EXPECT_EQ(StartNoticeOf(spec), Span{120});
}

TEST(StartNotice, AMoveGivesTheWholeNoticeAndWithoutOneTheSecondThatHasBegun) {
  schemas::HoldOrder order;
  EXPECT_EQ(EarliestMove(order, kNow), Instant{1000});
  order.start_notice = Span{120};
  EXPECT_EQ(EarliestMove(order, kNow), Instant{1001 + 120});
  order.earliest = Instant{5000};
  EXPECT_EQ(EarliestMove(order, kNow), Instant{5000}) << "its window and gates stay as they are";
  EXPECT_EQ(EarliestMove(Interactive(), kNow), Instant{1001 + 900});
}

TEST(StartNotice, AnElementThatWaitsForItsArrayIsMovedOnceItIsPermitted) {
  schemas::HoldRecord hold{.order = {.keeps_order = true}, .state = schemas::HoldState::kCommitted};
  EXPECT_EQ(EarliestMove(hold, kNow), kFarFuture);
  hold.state = schemas::HoldState::kPermitted;
  EXPECT_EQ(EarliestMove(hold, kNow), Instant{1000});
}

schemas::FigureChange Told(std::optional<int64_t> at, bool firm = true,
                           schemas::CauseCode cause = schemas::CauseCode::kNone) {
  schemas::FigureChange change;
  if (at) change.figures.starts_by = schemas::StartsBy{Instant{*at}, firm, firm};
  if (cause != schemas::CauseCode::kNone) change.cause = schemas::Cause{.code = cause};
  return change;
}

TEST(StartNotice, WhatWasPromisedLastCountsUntilItsUserGivesItUp) {
  EXPECT_EQ(PromiseLost({}), std::nullopt);
  EXPECT_EQ(PromiseLost({Told(900, false)}), std::nullopt) << "a bound is no promise";
  EXPECT_EQ(PromiseLost({Told(900), Told(800), Told({}, true, schemas::CauseCode::kNodeLost),
                         Told(950, false)}),
            Instant{800});
  EXPECT_EQ(PromiseLost({Told(900), Told({}, true, schemas::CauseCode::kUser)}), std::nullopt);
}

}  // namespace
}  // namespace muster::verifier::start_notice_test
