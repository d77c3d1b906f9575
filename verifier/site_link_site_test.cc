// The site's half of protocol.md section 3.4, pair by pair, and its clocks.
#include "verifier/site_link_site.h"

#include <gtest/gtest.h>

namespace muster::verifier::site_link_site_test {
namespace {

using S = SiteLinkState;
using V = SiteLinkEvent;
constexpr BootSpan kBeat = Seconds(2);

TEST(SiteLinkTable, EveryPair) {
  for (int s = 0; s <= static_cast<int>(S::kUp); ++s) {
    for (int e = 0; e <= static_cast<int>(kLastSiteLinkEvent); ++e) {
      const S state = static_cast<S>(s);
      const V event = static_cast<V>(e);
      SiteLinkStep want{.next = state};
      if (event == V::kWelcome) want = {.next = S::kUp, .restart_feed = true};
      if (event == V::kRefused) want = {.next = S::kDown, .back_off = true};
      if (state == S::kDown && event == V::kDial) want = {.next = S::kHello, .say_hello = true};
      if (state == S::kHello && event == V::kHelloWaitOver)
        want = {.next = S::kDown, .back_off = true};
      if (state == S::kUp && event == V::kBeatsMissed) want = {.next = S::kDown, .back_off = true};
      EXPECT_EQ(NextSiteLink(state, event), want) << s << " " << e;
    }
  }
}

TEST(SiteLink, DialsAtOnceAndWaitsFiveSecondsForAWelcome) {
  SiteLink link(1, {1'000});
  EXPECT_TRUE(link.Tick({1'000}, kBeat).hello);
  EXPECT_EQ(link.Next(kBeat), BootInstant{6'000});
  EXPECT_FALSE(link.Tick({5'999}, kBeat).hello);
  link.Tick({6'000}, kBeat);
  EXPECT_EQ(link.state(), S::kDown);
}

TEST(SiteLink, BacksOffWithJitterBetweenATenthAndTenSeconds) {
  SiteLink link(7, {0});
  BootInstant now{0};
  BootSpan longest{0};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(link.Tick(now, kBeat).hello);
    now = link.Next(kBeat);  // the hello wait is over
    link.Tick(now, kBeat);
    const BootSpan pause = link.Next(kBeat) - now;
    ASSERT_GE(pause, Milliseconds(50));
    ASSERT_LE(pause, Seconds(10));
    longest = std::max(longest, pause);
    now = link.Next(kBeat);
  }
  EXPECT_GE(longest, Seconds(5));
}

TEST(SiteLink, BeatsEachPeriodAndCountsThreeMissedAsSilence) {
  SiteLink link(1, {0});
  link.Tick({0}, kBeat);
  link.OnWelcome({10}, kBeat);
  EXPECT_TRUE(link.up());
  EXPECT_FALSE(link.Tick({2'009}, kBeat).heartbeat);
  EXPECT_TRUE(link.Tick({2'010}, kBeat).heartbeat);
  link.OnBeat({2'020});
  EXPECT_TRUE(link.Tick({4'010}, kBeat).heartbeat);
  EXPECT_FALSE(link.Tick({8'019}, kBeat).lost);
  EXPECT_TRUE(link.Tick({8'020}, kBeat).lost);
  EXPECT_FALSE(link.up());
}

TEST(SiteLink, AFasterHeartbeatDoesNotShortenThePatience) {
  SiteLink link(1, {0});
  link.Tick({0}, kBeat);
  link.OnWelcome({0}, kBeat);
  const BootSpan fast = schemas::kReadyHeartbeat;
  for (int64_t t = 250; t < 6'000; t += 250) {
    const auto due = link.Tick({t}, fast);
    ASSERT_TRUE(due.heartbeat);
    ASSERT_FALSE(due.lost) << t;
  }
  EXPECT_TRUE(link.Tick({6'000}, fast).lost);
}

TEST(SiteLink, AWelcomeEndsTheBackOff) {
  SiteLink link(1, {0});
  for (int i = 0; i < 8; ++i) {
    link.Tick(link.Next(kBeat), kBeat);
    link.OnRefused(link.Next(kBeat));
  }
  link.OnWelcome({100'000}, kBeat);
  link.OnRefused({100'000});
  EXPECT_LE(link.Next(kBeat) - BootInstant{100'000}, Milliseconds(100));
}

}  // namespace
}  // namespace muster::verifier::site_link_site_test
