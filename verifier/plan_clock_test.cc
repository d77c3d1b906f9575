// Plan time against drifting and jumping wall clocks. protocol.md section 6.
#include "verifier/plan_clock.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

Now At(int64_t boot, int64_t wall) { return {.boot = {boot}, .wall = {wall}}; }

TEST(PlanClock, StartsOnTheWallClockAndFollowsBootTime) {
  PlanClock clock(At(1'000, 50'000));
  EXPECT_EQ(clock.Read(), Moment{50'000});
  EXPECT_EQ(clock.Update(At(3'000, 52'000)), PlanClock::Event::kNone);
  EXPECT_EQ(clock.Read(), Moment{52'000});
  EXPECT_EQ(clock.When({60'000}), BootInstant{11'000});
}

TEST(PlanClock, FollowsADriftingWallClockByOneMillisecondPerSecondAtMost) {
  PlanClock clock(At(0, 100'000));
  clock.Update(At(10'000, 111'000));
  EXPECT_EQ(clock.Read(), Moment{110'010});
  clock.Update(At(10'500, 111'500));
  EXPECT_EQ(clock.Read(), Moment{110'510}) << "half a second allows no whole millisecond";
  clock.Update(At(11'000, 112'000));
  EXPECT_EQ(clock.Read(), Moment{111'011});
}

TEST(PlanClock, AJumpLeavesTheOffsetUntilTheNewOneWasSteadyForAMinute) {
  PlanClock clock(At(0, 100'000));
  EXPECT_EQ(clock.Update(At(1'000, 3'700'000)), PlanClock::Event::kJumped);
  EXPECT_TRUE(clock.jumped());
  EXPECT_EQ(clock.Read(), Moment{101'000});
  EXPECT_EQ(clock.Update(At(60'000, 3'759'000)), PlanClock::Event::kNone);
  EXPECT_EQ(clock.Read(), Moment{160'000});
  EXPECT_EQ(clock.Update(At(61'000, 3'760'000)), PlanClock::Event::kTookNewOffset);
  EXPECT_EQ(clock.Read(), Moment{3'760'000});
  EXPECT_FALSE(clock.jumped());
}

TEST(PlanClock, AJumpThatGoesBackLeavesNoTrace) {
  PlanClock clock(At(0, 100'000));
  clock.Update(At(1'000, 200'000));
  EXPECT_EQ(clock.Update(At(2'000, 102'000)), PlanClock::Event::kNone);
  EXPECT_FALSE(clock.jumped());
  EXPECT_EQ(clock.Read(), Moment{102'000});
}

TEST(PlanClock, ASecondJumpStartsTheWatchAnew) {
  PlanClock clock(At(0, 100'000));
  clock.Update(At(1'000, 200'000));
  EXPECT_EQ(clock.Update(At(50'000, 900'000)), PlanClock::Event::kJumped);
  EXPECT_EQ(clock.Update(At(70'000, 920'000)), PlanClock::Event::kNone);
  EXPECT_EQ(clock.Update(At(110'000, 960'000)), PlanClock::Event::kTookNewOffset);
}

TEST(PlanClock, NeverGoesBackWhileTheWallClockDrifts) {
  PlanClock clock(At(0, 100'000));
  Moment before = clock.Read();
  for (int64_t boot = 0; boot < 100'000; boot += 137) {
    clock.Update(At(boot, 100'000 + boot - boot / 60));
    ASSERT_GE(clock.Read(), before);
    before = clock.Read();
  }
}

}  // namespace
}  // namespace muster::verifier
