// A look for an earlier start is saved only if it could not find more than the one before.
#include "meta/search/fruitless_look.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

using Offers = std::map<std::string, IntervalSet>;

constexpr Fence kPlace{Epoch{3}, 8};

Interval Within(int64_t begin, int64_t end) { return {Instant{begin}, Instant{end}}; }
Offers OfHills(int64_t begin, int64_t end) {
  return {{"hills", IntervalSet({Within(begin, end)})}};
}

class Fruitless : public testing::Test {
 protected:
  bool Saved(const Interval& within = Within(120, 900), const Offers& offers = {}) const {
    return look_.StillHolds(kPlace, rooms_, within, offers);
  }

  std::vector<SiteRoom> rooms_{{.usable = true, .freed = 4, .turnover = Span{20}},
                               {.usable = true, .freed = 7, .turnover = Span{0}}};
  FruitlessLook look_{
      .place = kPlace, .rooms = rooms_, .within = Within(100, 1000), .seen = OfHills(300, 500)};
};

TEST_F(Fruitless, HoldsForLaterTimesWithinItsOwn) {
  EXPECT_TRUE(Saved());
  EXPECT_TRUE(Saved(Within(100, 1000)));
  EXPECT_FALSE(Saved(Within(99, 900)));
  EXPECT_FALSE(Saved(Within(100, 1001)));
}

TEST_F(Fruitless, EndsWhenASiteHasFreedSomething) {
  rooms_[1].freed = 8;
  EXPECT_FALSE(Saved());
}

TEST_F(Fruitless, EndsWhenASiteComesBackOrIsListedOrTurnsOverFaster) {
  rooms_[0].usable = false;
  EXPECT_FALSE(Saved());
  rooms_ = look_.rooms;
  rooms_.push_back({.usable = true});
  EXPECT_FALSE(Saved());
  rooms_ = look_.rooms;
  rooms_[0].turnover = Span{10};
  EXPECT_FALSE(Saved());
}

TEST_F(Fruitless, HoldsForNoOtherPlace) {
  EXPECT_FALSE(look_.StillHolds({Epoch{3}, 9}, rooms_, Within(120, 900), {}));
}

TEST_F(Fruitless, AnOfferOfWhatWasSeenTellsNothing) {
  EXPECT_TRUE(Saved(Within(120, 900), OfHills(310, 500)));
  EXPECT_TRUE(Saved(Within(320, 900), OfHills(100, 400))) << "what is before the window is over";
  EXPECT_FALSE(Saved(Within(120, 900), OfHills(310, 501)));
  EXPECT_FALSE(Saved(Within(120, 900), {{"lakes", IntervalSet({Within(310, 320)})}}));
}

}  // namespace
}  // namespace muster::meta
