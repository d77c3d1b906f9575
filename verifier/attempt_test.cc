// When the events of the attempt table come due: protocol.md sections 3.2 and 4, with the default
// waits.
#include "verifier/attempt.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

using E = AttemptEvent;
using S = schemas::AttemptState;
using schemas::HoldState;

constexpr Instant kStart{1000};

// Three members, all in the same hold state, at `now` seconds.
AttemptView Three(S state, HoldState hold, int64_t now) {
  AttemptView v;
  v.state = state;
  v.start = kStart;
  v.deadline = ToMoment(kStart + Span{90});
  v.now = Moment{now * 1000};
  for (int i = 0; i < 3; ++i) {
    v.members.push_back({.hold = hold, .start = kStart, .heard = v.now});
  }
  return v;
}

AttemptView One(S state, HoldState hold, int64_t now) {
  AttemptView v = Three(state, hold, now);
  v.members.resize(1);
  v.deadline = ToMoment(kStart + Span{10});
  return v;
}

TEST(Attempt, DecidesWhenAllPreparedAtOneStart) {
  AttemptView v = Three(S::kHolding, HoldState::kPrepared, 900);
  EXPECT_EQ(DueEvent(v), E::kPrepared);
  v.members[1].hold = HoldState::kNone;
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, NeverDecidesOnStartsThatDiffer) {
  AttemptView v = Three(S::kHolding, HoldState::kPrepared, 900);
  v.members[2].start = kStart + Span{1};
  EXPECT_EQ(DueEvent(v), E::kRefused);
}

TEST(Attempt, DecidesOnlyBeforeThePermitWindowEnds) {
  EXPECT_EQ(DueEvent(Three(S::kHolding, HoldState::kPrepared, 1029)), E::kPrepared);
  EXPECT_EQ(DueEvent(Three(S::kHolding, HoldState::kPrepared, 1030)), E::kRefused);
}

TEST(Attempt, OneCounterRefusesTheWholeAttempt) {
  AttemptView v = Three(S::kHolding, HoldState::kPrepared, 900);
  v.members[2].hold = HoldState::kNone;
  v.members[2].refused = true;
  EXPECT_EQ(DueEvent(v), E::kRefused);
}

TEST(Attempt, SilenceOfAnAskedMemberRefuses) {
  AttemptView v = Three(S::kHolding, HoldState::kPrepared, 900);
  v.members[0].hold = HoldState::kNone;
  v.members[0].link_up = false;
  EXPECT_EQ(DueEvent(v), E::kRefused);
}

TEST(Attempt, ASoleMemberIsPermittedOnCommitOnceASecretIsAtHand) {
  AttemptView v = One(S::kHolding, HoldState::kCommitted, 900);
  v.secret_at_hand = false;
  EXPECT_EQ(DueEvent(v), std::nullopt);
  v.secret_at_hand = true;
  EXPECT_EQ(DueEvent(v), E::kSoleCommitted);
  v.rival_permitted = true;
  EXPECT_EQ(DueEvent(v), E::kRefused);
}

TEST(Attempt, TheBarrierOpensAtStartLessLeadAndWaitsForAllFirstParts) {
  EXPECT_EQ(DueEvent(Three(S::kCommitted, HoldState::kCommitted, 969)), std::nullopt);
  EXPECT_EQ(DueEvent(Three(S::kCommitted, HoldState::kCommitted, 970)), E::kLeadReached);
  AttemptView v = Three(S::kBarrier, HoldState::kCommitted, 975);
  for (MemberView& m : v.members) m.first_parts_ready = true;
  EXPECT_EQ(DueEvent(v), E::kReady);
  v.members[1].first_parts_ready = false;
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, NoPermitForAMemberUnheardForASecond) {
  AttemptView v = Three(S::kBarrier, HoldState::kCommitted, 975);
  for (MemberView& m : v.members) m.first_parts_ready = true;
  v.members[2].heard = Moment{973'999};
  EXPECT_EQ(DueEvent(v), std::nullopt);
  EXPECT_EQ(NextDue(v), Moment{975'250});
}

TEST(Attempt, GivesUpAfterThePermitWindow) {
  AttemptView v = Three(S::kBarrier, HoldState::kCommitted, 1030);
  for (MemberView& m : v.members) m.first_parts_ready = true;
  EXPECT_EQ(DueEvent(v), E::kReady);
  v.now = Moment{1'030'001};
  EXPECT_EQ(DueEvent(v), E::kGivenUp);
}

TEST(Attempt, ACancelGivesUpBeforeThePermitOnly) {
  AttemptView v = Three(S::kDecided, HoldState::kPrepared, 900);
  v.wanted = false;
  EXPECT_EQ(DueEvent(v), E::kGivenUp);
  v.state = S::kPermitted;
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, ADroppedMemberEndangersOnce) {
  AttemptView v = Three(S::kDecided, HoldState::kCommitted, 900);
  v.members[0].hold = HoldState::kClosed;
  EXPECT_EQ(DueEvent(v), E::kMemberLost);
  v.endangered = true;
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, SilenceEndangersOnlyFromTheLeadOn) {
  AttemptView v = Three(S::kCommitted, HoldState::kCommitted, 969);
  v.members[0].link_up = false;
  v.members[0].link_lost = true;
  EXPECT_EQ(DueEvent(v), std::nullopt);
  v.now = Moment{970'000};
  EXPECT_EQ(DueEvent(v), E::kMemberLost);
}

TEST(Attempt, ALinkThatIsComingUpEndangersNothing) {
  AttemptView v = Three(S::kBarrier, HoldState::kCommitted, 975);
  for (MemberView& m : v.members) m.first_parts_ready = true;
  v.members[0].link_up = false;
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, AMemberClosedUnstartedAfterThePermitIsAPartialStart) {
  AttemptView v = Three(S::kPermitted, HoldState::kPermitted, 1000);
  v.members[2].hold = HoldState::kClosed;
  EXPECT_EQ(DueEvent(v), E::kPartialStart);
}

TEST(Attempt, SilenceAloneKillsNothing) {
  AttemptView v = Three(S::kPermitted, HoldState::kPermitted, 2000);
  for (MemberView& m : v.members) m.heard = Moment{0};
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, EvidenceOfOneAndSilenceOfAnotherSinceIsAPartialStart) {
  AttemptView v = Three(S::kPermitted, HoldState::kPermitted, 1154);
  v.members[0].seen_running = Moment{1'001'000};
  v.members[0].started = schemas::Started::kYes;
  v.members[1].seen_running = Moment{1'001'000};
  v.members[2].heard = Moment{999'000};
  // D + settle = 1095, and partner_wait after it.
  EXPECT_EQ(DueEvent(v), std::nullopt);
  EXPECT_EQ(NextDue(v), Moment{1'155'000});
  v.now = Moment{1'155'000};
  EXPECT_EQ(DueEvent(v), E::kPartialStart);
  v.members[2].heard = Moment{1'100'000};
  EXPECT_EQ(DueEvent(v), std::nullopt);
}

TEST(Attempt, AllRunningThenAllClosed) {
  AttemptView v = Three(S::kPermitted, HoldState::kPermitted, 1001);
  for (MemberView& m : v.members) m.all_parts_running = true;
  EXPECT_EQ(DueEvent(v), E::kAllRunning);
  for (MemberView& m : v.members) {
    m.hold = HoldState::kClosed;
    m.started = schemas::Started::kYes;
  }
  EXPECT_EQ(DueEvent(v), E::kAllClosed);
}

TEST(Attempt, AbortingEndsWhenAllClosedOrDAndSettlePassed) {
  AttemptView v = Three(S::kAborting, HoldState::kPrepared, 1094);
  EXPECT_EQ(DueEvent(v), std::nullopt);
  v.now = Moment{1'095'000};
  EXPECT_EQ(DueEvent(v), E::kSettled);
  v.now = Moment{900'000};
  for (MemberView& m : v.members) m.hold = HoldState::kClosed;
  EXPECT_EQ(DueEvent(v), E::kAllClosed);
}

}  // namespace
}  // namespace muster::verifier
