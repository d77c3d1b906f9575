// Rows L1 to L10 of protocol.md section 3.3, and that no other pair does anything.
#include "verifier/loan_table.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <utility>

namespace muster::verifier {
namespace {

using schemas::LoanState;

constexpr std::array kStates = {LoanState::kStarting, LoanState::kRunning, LoanState::kRecalled,
                                LoanState::kReleased, LoanState::kPaused};

constexpr std::array kGoesOn = {LoanState::kStarting, LoanState::kRunning, LoanState::kPaused};

LoanStep Next(std::optional<LoanState> state, LoanEvent event, bool protection_over = true) {
  return NextLoan(state, event, {.protection_over = protection_over});
}

TEST(LoanTable, L1WritesATokenBeforeAnythingStarts) {
  const LoanStep step = Next(std::nullopt, LoanEvent::kLend);
  EXPECT_EQ(step.row, LoanRow::kL1);
  EXPECT_EQ(step.next, LoanNext::kStarting);
  EXPECT_TRUE(step.effects.write && step.effects.new_token && step.effects.report);
  for (const LoanState state : kStates) EXPECT_EQ(Next(state, LoanEvent::kLend), LoanStep{});
}

TEST(LoanTable, APartWithoutALoanKnowsNoOtherEvent) {
  for (int e = 0; e <= static_cast<int>(kLastLoanEvent); ++e) {
    const auto event = static_cast<LoanEvent>(e);
    if (event != LoanEvent::kLend) EXPECT_EQ(Next(std::nullopt, event), LoanStep{}) << e;
  }
}

TEST(LoanTable, L2IsForOneThatRuns) {
  const LoanStep step = Next(LoanState::kRunning, LoanEvent::kRoomToEnd);
  EXPECT_EQ(step.row, LoanRow::kL2);
  EXPECT_EQ(step.next, LoanNext::kKept);
  EXPECT_TRUE(step.effects.moved && step.effects.write);
  for (const LoanState state : kStates) {
    if (state == LoanState::kRunning) continue;
    EXPECT_EQ(Next(state, LoanEvent::kRoomToEnd), LoanStep{});
  }
}

TEST(LoanTable, L3TakesItBackForItsOwnStartEvenUnderProtection) {
  for (const LoanState state : kGoesOn) {
    const LoanStep step = Next(state, LoanEvent::kOwnStart, false);
    EXPECT_EQ(step.row, LoanRow::kL3);
    EXPECT_EQ(step.next, LoanNext::kRecalled);
    EXPECT_TRUE(step.effects.stop && step.effects.write);
  }
}

TEST(LoanTable, L4TakesItBackForOthersOnlyOnceItsProtectionIsOver) {
  for (const LoanState state : kGoesOn) {
    EXPECT_EQ(Next(state, LoanEvent::kNodesDue, false), LoanStep{});
    const LoanStep step = Next(state, LoanEvent::kNodesDue);
    EXPECT_EQ(step.row, LoanRow::kL4);
    EXPECT_EQ(step.next, LoanNext::kRecalled);
    EXPECT_TRUE(step.effects.stop && step.effects.write && step.effects.report);
  }
}

TEST(LoanTable, AStartThatNobodyConfirmsIsTakenBack) {
  EXPECT_EQ(Next(LoanState::kStarting, LoanEvent::kTimedOut, false).next, LoanNext::kRecalled);
  EXPECT_EQ(Next(LoanState::kRunning, LoanEvent::kTimedOut), LoanStep{});
}

TEST(LoanTable, NobodyIsRecalledTwice) {
  for (const LoanState state : {LoanState::kRecalled, LoanState::kReleased}) {
    EXPECT_EQ(Next(state, LoanEvent::kNodesDue), LoanStep{});
    EXPECT_EQ(Next(state, LoanEvent::kOwnStart), LoanStep{});
  }
}

// Also one that somebody else ends while it is paused.
TEST(LoanTable, L5ReturnsARecalledOneToItsBooking) {
  for (const LoanState state : {LoanState::kRecalled, LoanState::kPaused}) {
    const LoanStep step = Next(state, LoanEvent::kStopped);
    EXPECT_EQ(step.row, LoanRow::kL5);
    EXPECT_EQ(step.next, LoanNext::kReturned);
    EXPECT_TRUE(step.effects.lost && step.effects.recall && step.effects.write);
  }
}

TEST(LoanTable, L6OneThatEndsByItselfHasEnded) {
  for (const auto& [state, event] : {std::pair{LoanState::kRunning, LoanEvent::kEnded},
                                     std::pair{LoanState::kRunning, LoanEvent::kStopped},
                                     std::pair{LoanState::kStarting, LoanEvent::kEnded},
                                     std::pair{LoanState::kRecalled, LoanEvent::kEnded},
                                     std::pair{LoanState::kPaused, LoanEvent::kEnded}}) {
    const LoanStep step = Next(state, event);
    EXPECT_EQ(step.row, LoanRow::kL6);
    EXPECT_EQ(step.next, LoanNext::kEnded);
    EXPECT_TRUE(step.effects.moved);
    EXPECT_FALSE(step.effects.recall);
  }
}

TEST(LoanTable, L7AReleaseStopsItInAnyState) {
  for (const LoanState state : kStates) {
    if (state == LoanState::kReleased) continue;
    const LoanStep step = Next(state, LoanEvent::kRelease);
    EXPECT_EQ(step.row, LoanRow::kL7);
    EXPECT_EQ(step.next, LoanNext::kReleased);
    EXPECT_TRUE(step.effects.stop);
  }
  for (const LoanEvent event : {LoanEvent::kEnded, LoanEvent::kStopped, LoanEvent::kNotStarted}) {
    EXPECT_EQ(Next(LoanState::kReleased, event).row, LoanRow::kL7);
    EXPECT_EQ(Next(LoanState::kReleased, event).next, LoanNext::kEnded);
  }
}

TEST(LoanTable, AStartThatDidNotHappenIsNoRecall) {
  for (const LoanState state : {LoanState::kStarting, LoanState::kRecalled}) {
    const LoanStep step = Next(state, LoanEvent::kNotStarted);
    EXPECT_EQ(step.next, LoanNext::kReturned);
    EXPECT_FALSE(step.effects.recall || step.effects.lost);
  }
}

TEST(LoanTable, L8FollowsWhatTheDriverFindsAfterARestart) {
  EXPECT_EQ(Next(LoanState::kStarting, LoanEvent::kFoundRunning).next, LoanNext::kRunning);
  for (const LoanState state : kStates) {
    if (state == LoanState::kStarting) continue;
    EXPECT_EQ(Next(state, LoanEvent::kFoundRunning).next, LoanNext::kStays);
  }
  EXPECT_EQ(Next(LoanState::kRecalled, LoanEvent::kFoundStopped).next, LoanNext::kReturned);
  EXPECT_EQ(Next(LoanState::kRunning, LoanEvent::kFoundEnded).next, LoanNext::kEnded);
  EXPECT_EQ(Next(LoanState::kStarting, LoanEvent::kFoundNeverRan).next, LoanNext::kReturned);
  // The record says that it ran.
  for (const LoanState state : {LoanState::kRunning, LoanState::kPaused}) {
    const LoanStep doubted = Next(state, LoanEvent::kFoundNeverRan);
    EXPECT_EQ(doubted.next, LoanNext::kEnded);
    EXPECT_TRUE(doubted.effects.started_unknown);
    EXPECT_EQ(Next(state, LoanEvent::kNotStarted), LoanStep{});
  }
  for (const LoanState state : kStates) {
    const LoanStep step = Next(state, LoanEvent::kFoundCannotTell);
    EXPECT_EQ(step.row, LoanRow::kL8);
    EXPECT_EQ(step.next, LoanNext::kEnded);
    EXPECT_TRUE(step.effects.started_unknown);
  }
}

TEST(LoanTable, L9PausesWhatRunsOnceItsProtectionIsOver) {
  const LoanStep step = Next(LoanState::kRunning, LoanEvent::kCoresDue);
  EXPECT_EQ(step.row, LoanRow::kL9);
  EXPECT_EQ(step.next, LoanNext::kPaused);
  EXPECT_TRUE(step.effects.pause && step.effects.write && step.effects.report);
  EXPECT_FALSE(step.effects.recall || step.effects.lost || step.effects.stop);
  EXPECT_EQ(Next(LoanState::kRunning, LoanEvent::kCoresDue, false), LoanStep{});
  for (const LoanState state : kStates) {
    if (state != LoanState::kRunning) EXPECT_EQ(Next(state, LoanEvent::kCoresDue), LoanStep{});
  }
}

TEST(LoanTable, L10LetsAPausedOneGoOn) {
  const LoanStep step = Next(LoanState::kPaused, LoanEvent::kCoresFree, false);
  EXPECT_EQ(step.row, LoanRow::kL10);
  EXPECT_EQ(step.next, LoanNext::kRunning);
  EXPECT_TRUE(step.effects.resume && step.effects.write && step.effects.report);
  for (const LoanState state : kStates) {
    if (state != LoanState::kPaused) EXPECT_EQ(Next(state, LoanEvent::kCoresFree), LoanStep{});
  }
}

// Whatever changes the record is written before anybody hears of it.
TEST(LoanTable, EveryChangeIsWrittenAndReported) {
  for (const LoanState state : kStates) {
    for (int e = 0; e <= static_cast<int>(kLastLoanEvent); ++e) {
      const LoanStep step = Next(state, static_cast<LoanEvent>(e));
      EXPECT_EQ(step.next != LoanNext::kStays, step.effects.write);
      EXPECT_EQ(step.effects.write, step.effects.report);
      if (step.effects.recall) EXPECT_EQ(step.next, LoanNext::kReturned);
    }
  }
}

}  // namespace
}  // namespace muster::verifier
