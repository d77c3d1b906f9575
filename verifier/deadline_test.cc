// Leases and D over jumps and reboots. protocol.md section 6, G10.
#include "verifier/deadline.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

constexpr BootInstant kBoot{5'000};
constexpr Moment kWall{1'000'000'000};

TEST(Deadline, HoldsItsBootInstantInTheSameBootWhateverTheWallClockSays) {
  const auto d = ArmDeadline(Seconds(30), {kWall.milliseconds + 30'000}, kBoot, "a");
  for (int64_t jump : {-86'400'000, -2'000, 0, 2'000, 86'400'000}) {
    const Now now{.boot = {20'000}, .wall = {kWall.milliseconds + jump}};
    EXPECT_EQ(DeadlineInThisBoot(d, now, "a"), BootInstant{35'000}) << jump;
  }
}

TEST(Deadline, AfterARebootKeepsWhatRemainsByUtc) {
  const auto d = ArmDeadline(Seconds(30), {kWall.milliseconds + 30'000}, kBoot, "a");
  const Now now{.boot = {100}, .wall = {kWall.milliseconds + 12'000}};
  EXPECT_EQ(DeadlineInThisBoot(d, now, "b"), BootInstant{18'100});
}

TEST(Deadline, AfterARebootIsDueAtOnceWhenUtcHasPassedIt) {
  const auto d = ArmDeadline(Seconds(30), {kWall.milliseconds + 30'000}, kBoot, "a");
  const Now now{.boot = {100}, .wall = {kWall.milliseconds + 31'000}};
  EXPECT_EQ(DeadlineInThisBoot(d, now, "b"), BootInstant{100});
}

TEST(Deadline, AfterARebootWithAClockSetBackLastsOneSpanAtMost) {
  const auto d = ArmDeadline(Seconds(30), {kWall.milliseconds + 30'000}, kBoot, "a");
  const Now now{.boot = {100}, .wall = {kWall.milliseconds - 86'400'000}};
  EXPECT_EQ(DeadlineInThisBoot(d, now, "b"), BootInstant{30'100});
}

TEST(Deadline, ANegativeSpanIsDueAtOnce) {
  const auto d = ArmDeadline(Seconds(-4), kWall, kBoot, "a");
  EXPECT_EQ(d.boot, kBoot);
  EXPECT_EQ(d.span, BootSpan{0});
}

TEST(Deadline, NumbersOfAForgedRecordDoNotOverflow) {
  schemas::Deadline d{.boot_id = "a", .boot = {0}, .wall = {INT64_MAX}, .span = {1'000}};
  const Now now{.boot = {100}, .wall = kWall};
  EXPECT_EQ(DeadlineInThisBoot(d, now, "b"), BootInstant{1'100});
  d.span = {-5};
  EXPECT_EQ(DeadlineInThisBoot(d, now, "b"), BootInstant{100});
}

}  // namespace
}  // namespace muster::verifier
