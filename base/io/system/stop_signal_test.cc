// Signals become flags that are looked at between turns.
#include "base/io/system/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>

namespace muster::io {
namespace {

TEST(StopSignal, AHangupAsksOnceToReadTheConfigurationAgainAndStopsNothing) {
  WatchStopSignals();
  EXPECT_FALSE(TakeReloadRequest());
  ASSERT_EQ(std::raise(SIGHUP), 0);
  EXPECT_TRUE(TakeReloadRequest());
  EXPECT_FALSE(TakeReloadRequest());
  EXPECT_FALSE(StopRequested());
}

TEST(StopSignal, TermAsksToStopAndStaysAsked) {
  WatchStopSignals();
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(StopRequested());
  EXPECT_TRUE(StopRequested());
}

}  // namespace
}  // namespace muster::io
