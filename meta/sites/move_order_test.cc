// In which order a site moves holds up, as far as the meta knows.
#include "meta/sites/move_order.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

Fence F(uint64_t number) { return {{1}, number}; }

TEST(MoveOrder, IsThatOfTheLastAnswerThatWasAskedFor) {
  MoveOrder order;
  EXPECT_TRUE(order.IsDue(Moment{0}));
  EXPECT_FALSE(order.Take(7, 1, {F(2)})) << "nobody asked";
  order.Ask(7, Moment{0});
  EXPECT_FALSE(order.IsDue(Moment{59'000}));
  EXPECT_TRUE(order.IsDue(Moment{60'000}));
  EXPECT_TRUE(order.Take(7, 1, {F(2), F(1)}));
  EXPECT_TRUE(order.TakeNews());
  EXPECT_FALSE(order.TakeNews());
  EXPECT_EQ(order.version(), 1u);
  EXPECT_LT(order.PlaceOf(F(2)), order.PlaceOf(F(1)));
  EXPECT_LT(order.PlaceOf(F(1)), order.PlaceOf(F(9))) << "who was not named comes last";
}

TEST(MoveOrder, StaysWhereTheSiteSaysThatItIsTheSame) {
  MoveOrder order;
  order.Ask(7, Moment{0});
  order.Take(7, 5, {F(2), F(1)});
  order.TakeNews();
  order.Ask(8, Moment{60'000});
  EXPECT_FALSE(order.Take(8, 5, {}));
  EXPECT_FALSE(order.TakeNews());
  EXPECT_EQ(order.PlaceOf(F(1)), 1u);
}

}  // namespace
}  // namespace muster::meta
