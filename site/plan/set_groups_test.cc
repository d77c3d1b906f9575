// The groups and losses of Maui Sect. IV (node sets), and what they are by definition.
#include "site/plan/set_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace muster::plan {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

Groups Of(const std::vector<int64_t>& values, std::optional<Tolerance> tolerance) {
  Groups out;
  for (const ValueRange& range : GroupsOf(values, tolerance)) {
    out.emplace_back(values.begin() + static_cast<int64_t>(range.first),
                     values.begin() + static_cast<int64_t>(range.last) + 1);
  }
  return out;
}

// Maui Sect. IV: "within a 10% processor speed range", "450MHz +- 50MHz".
TEST(Groups, AreMaximalWithinTheTolerance) {
  const std::vector<int64_t> mhz = {450, 500, 550, 600};
  EXPECT_EQ(Of(mhz, Tolerance{true, 10}), (Groups{{450}, {500, 550}, {550, 600}}));
  EXPECT_EQ(Of(mhz, Tolerance{false, 50}), (Groups{{450, 500}, {500, 550}, {550, 600}}));
  EXPECT_EQ(Of(mhz, Tolerance{true, 1000}), (Groups{{450, 500, 550, 600}}));
}

TEST(Groups, AreSingleValuesWithoutATolerance) {
  EXPECT_EQ(Of({450, 500}, std::nullopt), (Groups{{450}, {500}}));
  EXPECT_EQ(Of({}, std::nullopt), Groups{});
}

TEST(Groups, AreAllMaximalRangesAndNoOthers) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::set<int64_t> drawn;
    for (int64_t i = random.Between(1, 9); i > 0; --i) drawn.insert(random.Between(1, 40));
    const std::vector<int64_t> values(drawn.begin(), drawn.end());
    const Tolerance tolerance{random.Chance(500), random.Between(1, 30)};
    const auto alike = [&](size_t first, size_t last) {
      const int64_t least = values[first];
      const int64_t most = values[last];
      return tolerance.relative ? most * 100 <= least * (100 + tolerance.most)
                                : most - least <= tolerance.most;
    };
    std::vector<ValueRange> expected;
    for (size_t first = 0; first < values.size(); ++first) {
      for (size_t last = first; last < values.size(); ++last) {
        const bool more_before = first > 0 && alike(first - 1, last);
        const bool more_after = last + 1 < values.size() && alike(first, last + 1);
        if (alike(first, last) && !more_before && !more_after) expected.push_back({first, last});
      }
    }
    ASSERT_EQ(GroupsOf(values, tolerance), expected) << "seed " << seed;
  }
}

// Maui Sect. IV: seven processors of 1.2 GHz and one of 300 MHz; "idle for 75 %".
TEST(Loss, IsWhatFasterNodesWaitForTheSlowest) {
  const std::vector<int64_t> eight = {1200, 1200, 1200, 1200, 1200, 1200, 1200, 300};
  EXPECT_EQ(LossOf(eight), 724'138);
  EXPECT_EQ(LossOf(std::vector<int64_t>{800, 800}), 0);
  EXPECT_EQ(LossOf(std::vector<int64_t>{}), 0);
}

}  // namespace
}  // namespace muster::plan
