// Who is on a node, against a list of everybody.
#include "site/plan/occupants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"

namespace muster::plan {
namespace {

// In the order of fences, as they are told.
template <typename Is>
std::vector<Occupant> Those(const std::vector<Occupant>& all, Is is) {
  std::vector<Occupant> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), is);
  std::sort(out.begin(), out.end(), [](const Occupant& a, const Occupant& b) {
    return std::make_pair(a.fence, a.part) < std::make_pair(b.fence, b.part);
  });
  return out;
}

// Ends that differ by whole numbers of 32 bits have the same tag.
Instant DrawEnd(Random& random) {
  return {random.Between(10, 30) + static_cast<int64_t>(random.Below(2)) * (int64_t{1} << 32)};
}

TEST(Occupants, AreThoseThatCameAndDidNotGo) {
  Random random(9);
  Occupants occupants;
  std::vector<Occupant> all;
  for (uint64_t round = 0; round < 3000; ++round) {
    if (all.empty() || (all.size() < 60 && random.Chance(550))) {
      const Instant end = DrawEnd(random);
      all.push_back({end, {random.Between(0, 9)}, {{1}, round}, random.Chance(500) ? 1u : 0u});
      occupants.Add(all.back());
    } else {
      const size_t gone = random.Below(all.size());
      occupants.Remove(all[gone]);
      all.erase(all.begin() + static_cast<long>(gone));
    }
    const Instant end = DrawEnd(random);
    EXPECT_EQ(occupants.EndingAt(end),
              Those(all, [end](const Occupant& one) { return one.end == end; }));
    const Instant from{random.Between(0, 35)};
    const Instant until = from + Span{random.Between(1, 10)};
    EXPECT_EQ(occupants.Within(from, until),
              Those(all, [&](const Occupant& one) { return one.end > from && one.begin < until; }));
  }
}

TEST(Occupants, AreEqualInWhateverOrderTheyCame) {
  const Occupant one{{10}, {0}, {{1}, 1}};
  const Occupant two{{10}, {5}, {{1}, 2}};
  const Occupant three{{20}, {5}, {{1}, 3}};
  Occupants a;
  Occupants b;
  for (const Occupant& each : {one, two, three}) a.Add(each);
  for (const Occupant& each : {three, one, two}) b.Add(each);
  EXPECT_TRUE(a == b);
  b.Remove(two);
  EXPECT_FALSE(a == b);
  a.Remove(one);
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace muster::plan
