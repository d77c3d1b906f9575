// Zones as the database has them.
#include "base/config/zones.h"

#include <gtest/gtest.h>

namespace muster::config {
namespace {

TEST(Zones, BerlinChangesItsClocksTwiceAYear) {
  const std::optional<Zone> berlin = LoadZone("Europe/Berlin");
  ASSERT_TRUE(berlin.has_value());
  // 29 March and 25 October 2026, both at 01:00 UTC.
  const Instant spring = FromCivil({2026, 3, 29, 1, 0, 0});
  const Instant autumn = FromCivil({2026, 10, 25, 1, 0, 0});
  EXPECT_EQ(berlin->OffsetAt(spring - Span{1}), Span{3600});
  EXPECT_EQ(berlin->OffsetAt(spring), Span{7200});
  EXPECT_EQ(berlin->OffsetAt(autumn - Span{1}), Span{7200});
  EXPECT_EQ(berlin->OffsetAt(autumn), Span{3600});
}

TEST(Zones, RulesGoOnAfterTheLastChangeThatIsListed) {
  const std::optional<Zone> berlin = LoadZone("Europe/Berlin");
  ASSERT_TRUE(berlin.has_value());
  EXPECT_EQ(berlin->OffsetAt(FromCivil({2090, 7, 1, 0, 0, 0})), Span{7200});
  EXPECT_EQ(berlin->OffsetAt(FromCivil({2090, 1, 1, 0, 0, 0})), Span{3600});
}

TEST(Zones, AWholeDayThatAPlaceLeftOutIsAChangeLikeOthers) {
  const std::optional<Zone> apia = LoadZone("Pacific/Apia");
  ASSERT_TRUE(apia.has_value());
  // There was no 30 December 2011: its first instant is that of the 31st.
  EXPECT_EQ(apia->FirstShowing(FromCivil({2011, 12, 30, 9, 0, 0})),
            apia->FirstShowing(FromCivil({2011, 12, 31, 0, 0, 0})));
}

TEST(Zones, UtcHasNoChanges) { EXPECT_EQ(LoadZone("UTC"), Zone()); }

TEST(Zones, WhatIsNotInTheDatabaseIsNoZone) {
  for (const char* name : {"", "Europe/Berlni", "localtime", "/etc/localtime", "../../etc/passwd",
                           "Europe", "CEST+x;"}) {
    EXPECT_FALSE(LoadZone(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace muster::config
