// The machine's clock runs forward, and one boot has one id.
#include "base/io/system/clock.h"

#include <gtest/gtest.h>

namespace muster::io {
namespace {

TEST(SystemClock, NeverGoesBackOnTheBootClock) {
  const std::unique_ptr<Clock> clock = SystemClock();
  BootInstant last = clock->Read().boot;
  EXPECT_GT(last.milliseconds, 0);
  for (int i = 0; i < 1000; ++i) {
    const BootInstant now = clock->Read().boot;
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, ReadsUtcOfThisCentury) {
  const Moment wall = SystemClock()->Read().wall;
  EXPECT_GT(wall.milliseconds, int64_t{1'600'000'000} * 1000);
  EXPECT_LT(wall.milliseconds, int64_t{4'000'000'000} * 1000);
}

TEST(SystemClock, GivesOneIdPerBoot) {
  const std::string id = SystemClock()->BootId();
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(SystemClock()->BootId(), id);
}

}  // namespace
}  // namespace muster::io
