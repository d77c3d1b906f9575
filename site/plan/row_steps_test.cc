// Steps against a map from instants and places to what changes there.
#include "site/plan/row_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/random.h"

namespace muster::plan::row_steps_test {
namespace {

using Plain = std::map<std::pair<int64_t, uint32_t>, int>;

void ExpectSame(const RowSteps& steps, const Plain& expected) {
  ASSERT_EQ(steps.size(), expected.size());
  size_t i = 0;
  for (const auto& [where, units] : expected) {
    EXPECT_EQ(std::make_pair(steps.time(i), steps.place(i)), where);
    EXPECT_EQ(steps.units(i), units);
    ++i;
  }
}

PlaceChanges Draw(Random& random) {
  PlaceChanges changes;
  for (uint32_t place = 0; place < 12; ++place) {
    if (random.Chance(250)) changes.emplace_back(place, static_cast<int32_t>(random.Between(1, 3)));
  }
  return changes;
}

TEST(RowSteps, AddUpByInstantAndPlaceAndGoWhereTheyCancelOut) {
  Random random(7);
  RowSteps steps;
  Plain expected;
  for (int round = 0; round < 4000; ++round) {
    const int64_t time = random.Between(-20, 20);
    const PlaceChanges changes = Draw(random);
    const int sign = random.Chance(500) ? 1 : -1;
    steps.Add(time, changes, sign);
    for (const auto& [place, units] : changes) {
      int& sum = expected[{time, place}];
      sum += sign * units;
      if (sum == 0) expected.erase({time, place});
    }
    ExpectSame(steps, expected);
    const int64_t t = random.Between(-25, 25);
    const auto later = expected.lower_bound({t + 1, 0});
    EXPECT_EQ(steps.After(t), static_cast<size_t>(std::distance(expected.begin(), later)));
  }
}

TEST(RowSteps, AreTheSameAgainAfterTheyWereSplitAndAppended) {
  Random random(8);
  RowSteps steps;
  Plain expected;
  for (int64_t time = 0; time < 50; ++time) {
    for (const auto& [place, units] : Draw(random)) {
      steps.Add(time, {{place, units}}, 1);
      expected[{time, place}] = units;
    }
  }
  for (const size_t at : {size_t{0}, steps.size() / 3, steps.size()}) {
    const size_t size = steps.size();
    const RowSteps right = steps.Split(at);
    EXPECT_EQ(steps.size(), at);
    EXPECT_EQ(right.size(), size - at);
    steps.Append(right);
    ExpectSame(steps, expected);
  }
}

}  // namespace
}  // namespace muster::plan::row_steps_test
