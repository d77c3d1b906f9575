// scheduling.md section 5: room is kept for three seconds, once in sixty.
#include "site/holds/kept_room.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

constexpr Fence kA{Epoch{1}, 7};
constexpr Fence kB{Epoch{1}, 8};
constexpr Fence kC{Epoch{1}, 9};
constexpr BootInstant At(int64_t seconds) { return {seconds * 1000}; }

TEST(KeptRoom, IsKeptForAMomentAndNotSoonAgain) {
  KeptRoom room;
  EXPECT_EQ(room.Longer(kA, At(100)), Span{4});
  EXPECT_EQ(room.NextEnd(), std::nullopt);
  room.Keep(kA, At(100));
  EXPECT_EQ(room.NextEnd(), At(103));
  EXPECT_EQ(room.Longer(kA, At(102)), Span{1});
  EXPECT_EQ(room.Longer(kA, At(100) + Milliseconds(1)), Span{2});
  room.Keep(kA, At(102));
  EXPECT_EQ(room.NextEnd(), At(103)) << "it does not begin anew";
  EXPECT_FALSE(room.LetGo(At(102)));
  EXPECT_EQ(room.Longer(kA, At(103)), std::nullopt);
  EXPECT_TRUE(room.LetGo(At(103)));
  EXPECT_FALSE(room.LetGo(At(104))) << "said once";
  EXPECT_EQ(room.NextEnd(), std::nullopt);
  EXPECT_EQ(room.Longer(kA, At(159)), std::nullopt);
  EXPECT_EQ(room.Longer(kA, At(160)), Span{4});
}

TEST(KeptRoom, IsLetGoOfTogetherAndNobodyKeepsItOneAfterTheOther) {
  KeptRoom room;
  room.Keep(kA, At(100));
  EXPECT_EQ(room.Longer(kB, At(102)), Span{2});
  room.Keep(kB, At(102));
  EXPECT_EQ(room.NextEnd(), At(103));
  EXPECT_TRUE(room.LetGo(At(103)));
  EXPECT_EQ(room.Longer(kC, At(103)), std::nullopt) << "it has kept none, but others did just now";
  EXPECT_EQ(room.Longer(kC, At(114)), std::nullopt);
  EXPECT_EQ(room.Longer(kC, At(115)), Span{4});
  room.Keep(kC, At(115));
  EXPECT_EQ(room.Longer(kA, At(116)), std::nullopt) << "its minute is not over";
  EXPECT_EQ(room.Longer(kC, At(116)), Span{2});
  EXPECT_TRUE(room.LetGo(At(118)));
}

}  // namespace
}  // namespace muster::site
