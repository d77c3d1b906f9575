// Who hears of what, and for how long: no core.
#include "meta/service/followers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::meta {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const FollowerKey kKim{"kim", "l1", 1};
const FollowerKey kKimToo{"kim", "l1", 2};
const FollowerKey kAna{"ana", "l2", 1};

TEST(FollowersTest, NewsGoToThoseWhoFollowARequest) {
  Followers all;
  all.Follow(kKim, {RequestId{41}, RequestId{42}}, BootInstant{100});
  all.Follow(kAna, {RequestId{42}}, BootInstant{100});
  EXPECT_THAT(
      all.NewsOf({RequestId{42}, RequestId{43}}),
      ElementsAre(Pair(kAna, ElementsAre(RequestId{42})), Pair(kKim, ElementsAre(RequestId{42}))));
  EXPECT_THAT(all.NewsOf({RequestId{43}}), IsEmpty());
}

TEST(FollowersTest, OfManyElementsTheirArrayIsToldOnce) {
  Followers all;
  const RequestId array{42};
  all.Follow(kKim, {array}, BootInstant{100});
  EXPECT_THAT(all.NewsOf({array.element(1), array.element(2)}),
              ElementsAre(Pair(kKim, ElementsAre(array))));
}

TEST(FollowersTest, WhoFollowsOthersHearsNothingOfTheFirstAnyMore) {
  Followers all;
  all.Follow(kKim, {RequestId{41}}, BootInstant{100});
  all.Follow(kKim, {RequestId{42}}, BootInstant{100});
  EXPECT_THAT(all.NewsOf({RequestId{41}}), IsEmpty());
  EXPECT_THAT(all.RequestsOf(kKim), ElementsAre(RequestId{42}));
  all.Stop(kKim);
  EXPECT_THAT(all.NewsOf({RequestId{42}}), IsEmpty());
  EXPECT_TRUE(all.empty());
}

TEST(FollowersTest, OnlyWhoKeepsItselfAliveIsNotForgotten) {
  Followers all;
  all.Follow(kKim, {RequestId{41}}, BootInstant{100});
  all.Follow(kAna, {RequestId{41}}, BootInstant{101});
  EXPECT_EQ(all.NextEnd(), BootInstant{100});
  EXPECT_FALSE(all.KeepAlive(kKim, {RequestId{42}}, BootInstant{200}));
  EXPECT_FALSE(all.KeepAlive(kKimToo, {RequestId{41}}, BootInstant{200}));
  EXPECT_TRUE(all.KeepAlive(kKim, {RequestId{41}}, BootInstant{200}));
  all.ForgetOverdue(BootInstant{101});
  EXPECT_FALSE(all.Has(kAna));
  EXPECT_TRUE(all.Has(kKim));
  EXPECT_THAT(all.NewsOf({RequestId{41}}), ElementsAre(Pair(kKim, ElementsAre(RequestId{41}))));
  EXPECT_EQ(all.NextEnd(), BootInstant{200});
}

TEST(FollowersTest, OthersOfAUserAreCountedWithoutTheOneThatAsks) {
  Followers all;
  all.Follow(kKim, {RequestId{41}}, BootInstant{100});
  all.Follow(kAna, {RequestId{41}}, BootInstant{100});
  EXPECT_EQ(all.OthersOf(kKim), 0u);
  EXPECT_EQ(all.OthersOf(kKimToo), 1u);
}

TEST(WatchersTest, TheyWatchUntilTheyStopOrAreForgotten) {
  Watchers all;
  all.Watch(kKim, BootInstant{100});
  all.Watch(kKimToo, BootInstant{100});
  all.Watch(kAna, BootInstant{100});
  EXPECT_EQ(all.CountOf("kim"), 2u);
  all.Stop(kKimToo);
  EXPECT_TRUE(all.KeepAlive(kAna, BootInstant{101}));
  EXPECT_FALSE(all.KeepAlive(kKimToo, BootInstant{101}));
  all.ForgetOverdue(BootInstant{100});
  EXPECT_THAT(all.All(), ElementsAre(kAna));
}

}  // namespace
}  // namespace muster::meta
