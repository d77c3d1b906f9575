// The choice among free placements, against exhaustive search on machines of at most 16 units with
// at most 5 requests (scheduling.md section 8).
#include "site/machine/known_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "site/machine/layout.h"

namespace muster::machine {
namespace {

Wanted Ask(const Geometry& geometry, uint32_t units, int64_t length) {
  return {geometry.FormsFor(units, 25), Bits(geometry.unit_count(), true), Span{-1},
          Span{length + 1}};
}

Bits FreeFor(const Timetable& table, const Wanted& wanted, Instant start) {
  const Instant begin = start + wanted.shift;
  return wanted.hosts - table.Busy(begin, begin + wanted.length);
}

Timetable With(Timetable table, const Geometry& geometry, const Wanted& wanted, Instant start,
               const Placement& placement) {
  const Instant begin = start + wanted.shift;
  table.Take(geometry.UnitsAt(placement), begin, begin + wanted.length);
  return table;
}

// Tries the starts second by second.
Instant NaiveEarliest(const Geometry& geometry, const Timetable& table, const Wanted& wanted,
                      Instant from) {
  for (Instant t = from; t < from + Span{1000}; t = t + Span{1}) {
    if (geometry.FirstWithin(wanted.forms, FreeFor(table, wanted, t)).has_value()) return t;
  }
  return kFarFuture;
}

// The least possible sum of the requests' waits after `start`, where each request starts as early
// as it can beside those before it.
int64_t LeastSum(const Geometry& geometry, const Timetable& table, std::span<const Wanted> all,
                 Instant start) {
  if (all.empty()) return 0;
  const Instant earliest = NaiveEarliest(geometry, table, all.front(), start);
  int64_t least = INT64_MAX;
  for (const Placement& p :
       geometry.LeastWaste(all.front().forms, FreeFor(table, all.front(), earliest))) {
    least = std::min(least, LeastSum(geometry, With(table, geometry, all.front(), earliest, p),
                                     all.subspan(1), start));
  }
  return least + (earliest - start).seconds;
}

Timetable SomeBusy(const Geometry& geometry, Random& random) {
  Timetable table(geometry.unit_count());
  for (int i = 0; i < 4; ++i) {
    Bits units(geometry.unit_count());
    for (int k = 0; k < 3; ++k) units.Set(random.Below(geometry.unit_count()));
    const Instant begin{static_cast<int64_t>(random.Below(20))};
    table.Take(units, begin, begin + Span{1 + static_cast<int64_t>(random.Below(15))});
  }
  return table;
}

TEST(Timetable, KnowsWhatIsBusyOverAWindowAndWhenAUnitIsReleased) {
  Timetable table(4);
  Bits one(4);
  one.Set(1);
  Bits two(4);
  two.Set(2);
  table.Take(one, Instant{10}, Instant{20});
  table.Take(two, Instant{15}, Instant{30});
  EXPECT_FALSE(table.Busy(Instant{0}, Instant{10}).Any());
  EXPECT_EQ(table.Busy(Instant{0}, Instant{11}), one);
  EXPECT_EQ(table.Busy(Instant{19}, Instant{20}), one | two);
  EXPECT_EQ(table.Busy(Instant{20}, Instant{90}), two);
  EXPECT_EQ(table.NextRelease(Instant{0}), Instant{20});
  EXPECT_EQ(table.NextRelease(Instant{20}), Instant{30});
  EXPECT_EQ(table.NextRelease(Instant{30}), kFarFuture);
}

TEST(KnownSet, FindsTheEarliestStartSecondBySecond) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const auto geometry = MakeGeometry({Kind::kMesh, {3, 3}});
    const Timetable table = SomeBusy(*geometry, random);
    const Wanted wanted = Ask(*geometry, 1 + static_cast<uint32_t>(random.Below(6)),
                              1 + static_cast<int64_t>(random.Below(12)));
    EXPECT_EQ(EarliestStart(*geometry, table, wanted, Instant{1}),
              NaiveEarliest(*geometry, table, wanted, Instant{1}));
  }
}

class KnownSetOn : public testing::TestWithParam<Layout> {};

TEST_P(KnownSetOn, ChoosesAsExhaustiveSearchWould) {
  Random random(4);
  const auto geometry = MakeGeometry(GetParam());
  int better = 0;
  for (int round = 0; round < 60; ++round) {
    const Timetable table = SomeBusy(*geometry, random);
    std::vector<Wanted> all;
    const size_t count = 2 + random.Below(3);
    for (size_t i = 0; i < count; ++i) {
      all.push_back(Ask(*geometry, 1 + static_cast<uint32_t>(random.Below(6)),
                        5 + static_cast<int64_t>(random.Below(10))));
    }
    const Instant start = NaiveEarliest(*geometry, table, all.front(), Instant{1});
    const Bits free = FreeFor(table, all.front(), start);
    const std::span<const Wanted> coming(all.begin() + 1, all.end());
    const auto after = [&](Choice how) {
      uint64_t nodes = kSearchNodes;
      const Placement p = Choose(*geometry, table, start, all.front(), free, coming, how, nodes);
      EXPECT_TRUE(free.Contains(geometry->UnitsAt(p)));
      EXPECT_GT(nodes, 0u) << "the search was not cut";
      return LeastSum(*geometry, With(table, *geometry, all.front(), start, p), coming, start);
    };
    const int64_t least = LeastSum(*geometry, table, all, start);
    EXPECT_EQ(after(Choice::kKnownSet), least) << "round " << round;
    better += after(Choice::kFirstFit) > least ? 1 : 0;
  }
  EXPECT_GT(better, 0) << "a known set is worth something";
}

INSTANTIATE_TEST_SUITE_P(SmallMachines, KnownSetOn,
                         testing::Values(Layout{Kind::kMesh, {4, 4}}, Layout{Kind::kHypercube, {4}},
                                         Layout{Kind::kTorus, {4, 2, 2}},
                                         Layout{Kind::kMesh, {4, 4}, {5, 10}}));

TEST(KnownSet, IsTheSameWhoeverAsks) {
  Random random(5);
  const auto geometry = MakeGeometry({Kind::kTorus, {4, 4, 4}});
  const Timetable table = SomeBusy(*geometry, random);
  std::vector<Wanted> coming;
  for (int i = 0; i < 40; ++i) {
    coming.push_back(Ask(*geometry, 1 + static_cast<uint32_t>(random.Below(20)), 9));
  }
  const Wanted wanted = Ask(*geometry, 6, 10);
  const Bits free = FreeFor(table, wanted, Instant{9});
  uint64_t nodes = kSearchNodes;
  uint64_t again = kSearchNodes;
  const Placement first =
      Choose(*geometry, table, Instant{9}, wanted, free, coming, Choice::kKnownSet, nodes);
  EXPECT_EQ(first,
            Choose(*geometry, table, Instant{9}, wanted, free,
                   std::span<const Wanted>(coming).first(kLookAhead), Choice::kKnownSet, again))
      << "nothing beyond the look-ahead counts";
  EXPECT_EQ(nodes, again);
}

TEST(KnownSet, TakesLeastDamageAndThenTheFirstOnceItsNodesAreSpent) {
  const auto geometry = MakeGeometry({Kind::kMesh, {4, 4}});
  Timetable table(16);
  Bits corner(16);
  corner.Set(0);
  table.Take(corner, Instant{0}, Instant{90});
  const Wanted one = Ask(*geometry, 1, 5);
  const std::vector<Wanted> coming(3, Ask(*geometry, 12, 5));
  const Bits free = FreeFor(table, one, Instant{5});
  uint64_t nodes = 15;  // the number of placements
  const Placement p =
      Choose(*geometry, table, Instant{5}, one, free, coming, Choice::kKnownSet, nodes);
  EXPECT_EQ(p.corner, 1u) << "beside what is busy: a 4 x 3 and a 3 x 4 are still there";
  EXPECT_EQ(nodes, 0u);
  EXPECT_EQ(Choose(*geometry, table, Instant{5}, one, free, coming, Choice::kKnownSet, nodes),
            *geometry->FirstWithin(one.forms, free));
}

}  // namespace
}  // namespace muster::machine
