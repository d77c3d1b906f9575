// scheduling.md section 5: room is kept for three seconds, once in sixty.
#include "site/kept_room.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

constexpr Fence kA{Epoch{1}, 7};
constexpr Fence kB{Epoch{1}, 8};
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

TEST(KeptRoom, IsKeptForEachByItself) {
  KeptRoom room;
  room.Keep(kA, At(100));
  room.Keep(kB, At(102));
  EXPECT_EQ(room.NextEnd(), At(103));
  EXPECT_TRUE(room.LetGo(At(103)));
  EXPECT_EQ(room.NextEnd(), At(105));
  EXPECT_EQ(room.Longer(kB, At(104)), Span{1});
  room.Keep(kA, At(160));
  EXPECT_EQ(room.NextEnd(), At(105));
  EXPECT_TRUE(room.LetGo(At(165)));
  EXPECT_EQ(room.NextEnd(), std::nullopt);
}

}  // namespace
}  // namespace muster::site
