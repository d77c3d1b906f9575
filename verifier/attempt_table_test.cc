// protocol.md section 3.2, exhaustively: every state, every event, every guard. The expected rows
// are written here a second time, from the page, so that a slip in the table shows.
#include "verifier/attempt_table.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace muster::verifier {
namespace {

using S = schemas::AttemptState;
using E = AttemptEvent;

struct Expected {
  int row;
  S next;
};

std::optional<Expected> FromPage(S s, E e, const AttemptGuards& g) {
  const bool before_permit = s == S::kDecided || s == S::kCommitted || s == S::kBarrier;
  const bool permitted = s == S::kPermitted || s == S::kRunning || s == S::kPartial;
  if (s == S::kSeeking && e == E::kCommonStart) return Expected{1, S::kHolding};
  if (s == S::kHolding && e == E::kRefused) return Expected{2, S::kAborting};
  if (s == S::kHolding && e == E::kPrepared && g.several && g.before_window_end &&
      !g.rival_permitted) {
    return Expected{3, S::kDecided};
  }
  if (s == S::kHolding && e == E::kSoleCommitted && !g.several && g.wanted && !g.rival_permitted) {
    return Expected{4, S::kPermitted};
  }
  if (s == S::kDecided && e == E::kAllCommitted) return Expected{5, S::kCommitted};
  if (s == S::kCommitted && e == E::kLeadReached) return Expected{6, S::kBarrier};
  if (before_permit && e == E::kMemberLost) return Expected{7, s};
  if (s == S::kBarrier && e == E::kReady && g.before_window_end && g.members_heard &&
      !g.superseded && !g.rival_permitted) {
    return Expected{8, S::kPermitted};
  }
  if (before_permit && e == E::kGivenUp) return Expected{9, S::kAborting};
  if (s == S::kPermitted && e == E::kAllRunning) return Expected{10, S::kRunning};
  if (s == S::kPermitted && e == E::kPartialStart && g.several) return Expected{11, S::kPartial};
  if (permitted && e == E::kAllClosed) return Expected{12, S::kClosed};
  if (s == S::kAborting && (e == E::kAllClosed || e == E::kSettled)) {
    return Expected{13, S::kClosed};
  }
  return std::nullopt;
}

AttemptGuards GuardsFromBits(int bits) {
  return {.several = (bits & 1) != 0,
          .before_window_end = (bits & 2) != 0,
          .wanted = (bits & 4) != 0,
          .rival_permitted = (bits & 8) != 0,
          .members_heard = (bits & 16) != 0,
          .superseded = (bits & 32) != 0};
}

TEST(AttemptTable, EveryStateEventAndGuardGivesTheRowOfThePageOrNothing) {
  std::set<int> rows;
  for (int s = 0; s <= static_cast<int>(S::kClosed); ++s) {
    for (int e = 0; e < kAttemptEvents; ++e) {
      for (int bits = 0; bits < 64; ++bits) {
        const S state = static_cast<S>(s);
        const AttemptGuards guards = GuardsFromBits(bits);
        const AttemptStep step = NextAttemptStep(state, static_cast<E>(e), guards);
        const std::optional<Expected> want = FromPage(state, static_cast<E>(e), guards);
        SCOPED_TRACE(testing::Message() << "state " << s << " event " << e << " guards " << bits);
        if (!want) {
          EXPECT_EQ(step, (AttemptStep{0, state, 0}));
          continue;
        }
        EXPECT_EQ(step.row, want->row);
        EXPECT_EQ(step.next, want->next);
        rows.insert(step.row);
      }
    }
  }
  EXPECT_EQ(rows.size(), 13u);
}

TEST(AttemptTable, APermitIsWrittenOnlyByC4AndC8) {
  for (int s = 0; s <= static_cast<int>(S::kClosed); ++s) {
    for (int e = 0; e < kAttemptEvents; ++e) {
      for (int bits = 0; bits < 64; ++bits) {
        const AttemptStep step =
            NextAttemptStep(static_cast<S>(s), static_cast<E>(e), GuardsFromBits(bits));
        const bool permits = (step.effects & (kWritePermit | kOrderPermit)) != 0;
        EXPECT_EQ(permits, step.row == 4 || step.row == 8);
        EXPECT_EQ((step.effects & kWritePermit) != 0, (step.effects & kOrderPermit) != 0);
      }
    }
  }
}

TEST(AttemptTable, C2WritesNothingSinceHoldingIsVolatile) {
  const AttemptStep step = NextAttemptStep(S::kHolding, E::kRefused, {});
  EXPECT_EQ(step.effects, kOrderRelease | kResumeSearch);
}

TEST(AttemptTable, ClosedIsForever) {
  for (int e = 0; e < kAttemptEvents; ++e) {
    EXPECT_EQ(NextAttemptStep(S::kClosed, static_cast<E>(e), {}).row, 0);
  }
}

}  // namespace
}  // namespace muster::verifier
