// Interval sets keep their invariant and agree with plain sets of instants.
#include "base/interval.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace muster {
namespace {

constexpr int64_t kRange = 40;

IntervalSet Draw(Random& random) {
  std::vector<Interval> intervals;
  for (uint64_t n = random.Below(5); n > 0; --n) {
    const int64_t begin = random.Between(0, kRange - 1);
    intervals.push_back({{begin}, {random.Between(begin, kRange)}});
  }
  return IntervalSet(intervals);
}

std::set<int64_t> Members(const IntervalSet& set) {
  std::set<int64_t> out;
  for (int64_t t = -kRange; t < 3 * kRange; ++t) {
    if (set.Contains({t})) out.insert(t);
  }
  return out;
}

TEST(IntervalSet, MergesOverlappingAndTouchingAndDropsEmpty) {
  const IntervalSet set({{{5}, {9}}, {{1}, {3}}, {{3}, {4}}, {{8}, {12}}, {{20}, {20}}});
  EXPECT_EQ(ToText(set), "{[1,4) [5,12)}");
}

TEST(IntervalSet, AgreesWithSetsOfInstants) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    const IntervalSet a = Draw(random);
    const IntervalSet b = Draw(random);
    const std::set<int64_t> in_a = Members(a);
    std::set<int64_t> both;
    for (int64_t t : Members(b)) {
      if (in_a.count(t)) both.insert(t);
    }
    EXPECT_EQ(Members(a.Intersect(b)), both);
    const int64_t from = random.Between(0, kRange);
    const auto first = in_a.lower_bound(from);
    const auto got = a.FirstFrom({from});
    ASSERT_EQ(got.has_value(), first != in_a.end());
    if (got) EXPECT_EQ(got->seconds, *first);
    EXPECT_EQ(a.Shifted({13}).Shifted({-13}), a);
  }
}

TEST(IntervalSet, AnOpenEndStaysOpenWhenShifted) {
  EXPECT_EQ(IntervalSet::From({10}).Shifted({5}).Shifted({-5}), IntervalSet::From({10}));
}

TEST(IntervalSet, MomentsRoundTowardsTheRightSecond) {
  EXPECT_EQ(Moment{1999}.Floor().seconds, 1);
  EXPECT_EQ(Moment{1001}.Ceiling().seconds, 2);
  EXPECT_EQ(Moment{2000}.Ceiling().seconds, 2);
  EXPECT_EQ(Moment{-1}.Floor().seconds, -1);
}

}  // namespace
}  // namespace muster
