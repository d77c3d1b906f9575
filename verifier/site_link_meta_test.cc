// protocol.md section 3.4, every state and event, and the clock comparison of section 6.
#include "verifier/site_link_meta.h"

#include <gtest/gtest.h>

namespace muster::verifier::site_link_meta_test {
namespace {

using E = LinkEvent;
using S = schemas::SiteState;

LinkStep FromPage(S s, E e) {
  if (e == E::kHello) {
    return {true, s == S::kQuarantined ? S::kQuarantined : S::kSyncing, true};
  }
  if (s == S::kSyncing && e == E::kSynced) return {true, S::kUp, false};
  if ((s == S::kUp || s == S::kSyncing) && e == E::kMissed) return {true, S::kSilent, false};
  if (s == S::kSilent && e == E::kHeartbeat) return {true, S::kSyncing, true};
  if ((s == S::kUp || s == S::kSyncing) && e == E::kOffence) return {true, S::kQuarantined, false};
  if (s == S::kQuarantined && e == E::kCleanAgain) return {true, S::kSyncing, true};
  return {false, s, false};
}

TEST(SiteLink, EveryStateAndEventGivesTheRowOfThePageOrNothing) {
  for (int s = 0; s <= static_cast<int>(S::kQuarantined); ++s) {
    for (int e = 0; e < kLinkEvents; ++e) {
      EXPECT_EQ(NextLinkStep(static_cast<S>(s), static_cast<E>(e)),
                FromPage(static_cast<S>(s), static_cast<E>(e)))
          << "state " << s << " event " << e;
    }
  }
}

TEST(SiteLink, NonsenseIsCountedPerMinute) {
  SiteLinkMeta link;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(link.Nonsense(BootInstant{i * 1000}));
  EXPECT_FALSE(link.Nonsense(BootInstant{60'000}));
  EXPECT_TRUE(link.Nonsense(BootInstant{60'500}));
}

TEST(SiteLink, FourStampsTellTheOffsetToHalfATrip) {
  // Sent by the meta at 1000, there at 4010 by a clock 3 s ahead; sent back at 4030, here at 1050.
  const auto offset = OffsetOf(
      {.sent = Moment{4030}, .echoed = Moment{1000}, .received = Moment{4010}}, Moment{1050});
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->milliseconds, 2995);
  EXPECT_EQ(offset->half_trip, 15);
  EXPECT_EQ(offset->Provable(), 2980);
  SiteLinkMeta link;
  EXPECT_TRUE(link.Stamps({.sent = Moment{4030}, .echoed = Moment{1000}, .received = Moment{4010}},
                          Moment{1050}));
}

TEST(SiteLink, ASlowTripProvesNoOffset) {
  const auto offset = OffsetOf(
      {.sent = Moment{6000}, .echoed = Moment{1000}, .received = Moment{6000}}, Moment{6000});
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->Provable(), 0);
  EXPECT_FALSE(OffsetOf({.sent = Moment{5}}, Moment{9}).has_value());
}

TEST(SiteLink, TenCleanHeartbeatsEarnTheWayOutOfQuarantine) {
  SiteLinkMeta link;
  link.Take(E::kHello);
  link.Take(E::kOffence);
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(link.Clean());
  EXPECT_TRUE(link.Clean());
}

}  // namespace
}  // namespace muster::verifier::site_link_meta_test
