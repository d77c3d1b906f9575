// ByFence finds the same values as a map, through any puts and takes, and in copies as well.
#include "site/plan/by_fence.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"

namespace muster::plan {
namespace {

using Expected = std::map<Fence, std::string>;

void ExpectSame(ByFence<std::string>& all, const Expected& expected) {
  ASSERT_EQ(all.size(), expected.size());
  auto next = expected.begin();
  all.Each([&](const Fence& fence, const std::string& value) {
    EXPECT_EQ(fence, next->first);
    EXPECT_EQ(value, next->second);
    ++next;
  });
}

TEST(ByFence, FindsWhatAMapWouldFindThroughPutsTakesAndCopies) {
  Random random(1);
  ByFence<std::string> all;
  Expected expected;
  for (int step = 0; step < 20000; ++step) {
    const Fence fence{{random.Below(3)}, random.Below(400)};
    ASSERT_EQ(all.Has(fence), expected.contains(fence));
    if (!all.Has(fence)) {
      EXPECT_EQ(all.Find(fence), nullptr);
      if (random.Chance(600)) all.Put(fence, expected[fence] = std::to_string(step));
    } else if (random.Chance(500)) {
      EXPECT_EQ(all.Take(fence), expected.at(fence));
      expected.erase(fence);
    } else {
      EXPECT_EQ(all.At(fence), expected.at(fence));
    }
    if (step % 1000 == 0) {
      ByFence<std::string> copy = all;
      ExpectSame(copy, expected);
      copy.Put({{7}, 1}, "of the copy alone");
      EXPECT_FALSE(all.Has({{7}, 1}));
    }
  }
  ExpectSame(all, expected);
}

TEST(ByFence, WhatIsThereStaysWhereItIsWhileOthersComeAndGo) {
  ByFence<std::string> all;
  const Fence first{{1}, 1};
  const std::string* there = &all.Put(first, "first");
  for (uint64_t n = 2; n < 5000; ++n) all.Put({{1}, n}, "other");
  for (uint64_t n = 2; n < 5000; n += 2) all.Take({{1}, n});
  EXPECT_EQ(all.Find(first), there);
  EXPECT_EQ(*there, "first");
}

}  // namespace
}  // namespace muster::plan
