// Which keys are heard: no core.
#include "meta/service/key_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::meta::key_ring_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ListedKey kKim{"user:kim", "user", "k1"};
const ListedKey kLakes{"site:lakes", "site", "l1"};

TEST(KeyRingTest, ListedKeysAreHeardUnlessRotatedOrRevoked) {
  KeyRing ring;
  EXPECT_THAT(ring.Heard({kKim, kLakes}),
              ElementsAre(HeardKey{"user:kim", "k1"}, HeardKey{"site:lakes", "l1"}));
  EXPECT_EQ(ring.Of(kKim), nullptr);
  ring.Put(kKim, "k2", Moment{5});
  ring.Put(kLakes, "", Moment{6});
  EXPECT_THAT(ring.Heard({kKim, kLakes}), ElementsAre(HeardKey{"user:kim", "k2"}));
  ASSERT_NE(ring.Of(kLakes), nullptr);
  EXPECT_EQ(ring.Of(kLakes)->at, Moment{6});
}

TEST(KeyRingTest, AnotherListedKeyOutranksWhatIsOnRecord) {
  KeyRing ring;
  ring.Restore({.name = "user:kim", .listed = "k1", .public_key = "", .at = {}});
  const ListedKey anew{"user:kim", "user", "k3"};
  EXPECT_THAT(ring.Heard({anew}), ElementsAre(HeardKey{"user:kim", "k3"}));
  EXPECT_THAT(ring.Heard({kKim}), IsEmpty());
}

TEST(KeyRingTest, RecordsOfKeysThatAreListedNoMoreAreRemoved) {
  KeyRing ring;
  ring.Restore({.name = "user:kim", .listed = "k1", .public_key = "k2", .at = {}});
  ring.Restore({.name = "site:lakes", .listed = "l1", .public_key = "l2", .at = {}});
  ring.DropStale({{"user:kim", "user", "k3"}, kLakes});
  std::vector<schemas::Write<schemas::MetaRecord>> writes;
  ring.TakeWrites(writes);
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].key, "key/user:kim");
  EXPECT_FALSE(writes[0].value.has_value());
  EXPECT_THAT(ring.Heard({kKim, kLakes}),
              ElementsAre(HeardKey{"user:kim", "k1"}, HeardKey{"site:lakes", "l2"}));
}

TEST(KeyRingTest, TheLastMessageOfAUserIsKnown) {
  KeyRing ring;
  EXPECT_EQ(ring.HeardAt("kim"), std::nullopt);
  ring.NoteHeard("kim", Moment{5});
  ring.NoteHeard("kim", Moment{7});
  EXPECT_EQ(ring.HeardAt("kim"), Moment{7});
}

}  // namespace
}  // namespace muster::meta::key_ring_test
