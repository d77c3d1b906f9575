// Rows of most against a plain search, and levels by rule. scheduling.md section 1 (R1 to R4).
#include "meta/search/packing/levels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace muster::packing {
namespace {

TEST(RowOfMost, FindsWhatAPlainSearchFinds) {
  Random random(5);
  for (int run = 0; run < 50; ++run) {
    RowOfMost row;
    std::vector<int64_t> plain;
    EXPECT_EQ(row.FirstFrom(0, 0), 0u);
    for (int step = 0; step < 200; ++step) {
      if (plain.empty() || random.Chance(300)) {
        plain.push_back(random.Between(0, 50));
        row.Append(plain.back());
      } else {
        const size_t i = random.Below(plain.size());
        const int64_t value = random.Between(0, 50);
        plain[i] = std::min(plain[i], value);
        row.Lower(i, value);
      }
      const size_t from = random.Below(plain.size() + 2);
      const int64_t least = random.Between(0, 55);
      size_t expected = from;
      while (expected < plain.size() && plain[expected] < least) ++expected;
      ASSERT_EQ(row.FirstFrom(from, least), std::min(expected, plain.size()));
    }
  }
}

class LevelsOf4 : public ::testing::Test {
 protected:
  std::optional<int64_t> Offer(Levels& levels, int64_t amount, int64_t length, int64_t from = 0) {
    const auto offer = levels.Offer(bin_, {{0, amount}}, Instant{from}, Span{length}, kFarFuture);
    if (!offer) return std::nullopt;
    return offer->seconds;
  }
  void Place(Levels& levels, int64_t amount, int64_t start, int64_t length) {
    bin_.Take(Bin::Need{{0, amount}}, Instant{start}, Span{length});
    levels.Place(bin_, Instant{start}, Span{length}, Bin::Need{{0, amount}});
  }
  Bin bin_{"a", {{"ncpus", 4}}, Instant{0}};
};

TEST_F(LevelsOf4, OnlyTheNewestLevelGrowsAndGapsAreForThoseThatMayUseThem) {
  Levels plain(false);
  Levels gaps(true);
  const auto place = [&](int64_t amount, int64_t start, int64_t length) {
    Place(plain, amount, start, length);
    gaps.Place(bin_, Instant{start}, Span{length});
  };
  place(2, 0, 10);
  EXPECT_EQ(Offer(plain, 2, 30), 0) << "the newest level grows";
  place(1, 0, 20);
  EXPECT_EQ(Offer(plain, 2, 5), 20) << "no room at its point: a new level";
  EXPECT_EQ(Offer(gaps, 2, 5), 10) << "behind what ends first";
  place(4, 20, 5);
  EXPECT_EQ(Offer(plain, 1, 21), 25) << "a closed level does not grow";
  EXPECT_EQ(Offer(plain, 1, 20), 0);
  EXPECT_EQ(Offer(gaps, 3, 10), 10);
  EXPECT_EQ(Offer(gaps, 3, 10, 11), 25) << "it would cross the point";
  EXPECT_EQ(plain.Points(), (std::vector<Instant>{{0}, {20}}));
}

TEST_F(LevelsOf4, OnABookedMachineTheIdleStripBelongsToTheOlderLevel) {
  bin_.Take(Bin::Need{{0, 4}}, Instant{10}, Span{50});
  Levels gaps(true);
  Place(gaps, 4, 0, 5);
  EXPECT_EQ(Offer(gaps, 4, 10), 60);
  Place(gaps, 4, 60, 10);
  EXPECT_EQ(Offer(gaps, 4, 5), 5) << "in the strip, before the new point";
  EXPECT_EQ(gaps.Points(), (std::vector<Instant>{{0}, {60}}));
}

}  // namespace
}  // namespace muster::packing
