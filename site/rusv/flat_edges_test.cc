// Narrow numbers in small vectors: whatever the sizes of times and items, and whenever a number
// comes that does not fit, a vector answers like the same one with small numbers.
#include "site/rusv/flat_edges.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "site/rusv/rusv.h"

namespace muster::rusv::flat_edges_test {
namespace {

constexpr int64_t kSeconds = 3000;
constexpr int64_t kAvailable = 40;

// The same vector twice: with small numbers, and with times and items multiplied by these factors.
struct Scaled {
  int64_t times;
  int64_t items;
  int64_t base;
  Rusv small{kAvailable};
  Rusv large{kAvailable * items};

  Instant Large(int64_t t) const { return {base + t * times}; }
  Slot Large(const Slot& slot) const {
    return {Large(slot.start.seconds), Large(slot.stop.seconds), slot.items * items};
  }
  Instant LargeOf(Instant t) const { return t >= kFarFuture ? kFarFuture : Large(t.seconds); }

  void Change(const Slot& slot, bool take) {
    take ? small.Increment(slot) : small.Decrement(slot);
    take ? large.Increment(Large(slot)) : large.Decrement(Large(slot));
  }
  void ExpectAlike(const Slot& q) const {
    RC_ASSERT(large.edge_count() == small.edge_count());
    RC_ASSERT(large.At(Large(q.start.seconds)) == small.At(q.start) * items);
    const auto [begin, end, wanted] = q;
    RC_ASSERT(large.FreeIn(Large(begin.seconds), Large(end.seconds)) ==
              small.FreeIn(begin, end) * items);
    RC_ASSERT(large.MinIn(Large(begin.seconds), Large(end.seconds)) ==
              small.MinIn(begin, end) * items);
    RC_ASSERT(large.EarliestFit(wanted * items, Span{(end - begin).seconds * times},
                                Large(begin.seconds)) ==
              LargeOf(small.EarliestFit(wanted, end - begin, begin)));
    RC_ASSERT(large.FirstShort(wanted * items, Large(begin.seconds)) ==
              LargeOf(small.FirstShort(wanted, begin)));
    RC_ASSERT(large.NextEdge(Large(begin.seconds)) == LargeOf(small.NextEdge(begin)));
  }
};

Slot AnySlot() {
  const int64_t begin = *rc::gen::inRange<int64_t>(0, kSeconds);
  const int64_t length = *rc::gen::inRange<int64_t>(1, 200);
  return {{begin}, {begin + length}, *rc::gen::inRange<int64_t>(1, 9)};
}

TEST(NarrowNumbers, AnyTimesAndItemsAnswerAlike) {
  EXPECT_TRUE(rc::check([] {
    // Spans up to 3,200 x 1e6 s and items up to 2^45 do not fit; 2^28 does until some are added.
    Scaled both{.times = *rc::gen::element<int64_t>(1, 60, 1'000'000),
                .items = *rc::gen::element<int64_t>(1, 3, int64_t{1} << 30, (int64_t{1} << 28) + 1,
                                                    (int64_t{1} << 40) + 1),
                .base = *rc::gen::element<int64_t>(0, -5'000'000'000, 1'800'000'000)};
    std::vector<Slot> booked;
    for (int step = 0; step < 120; ++step) {
      if (!booked.empty() && *rc::gen::inRange(0, 3) == 0) {
        both.Change(booked.back(), false);
        booked.pop_back();
      } else {
        booked.push_back(AnySlot());
        both.Change(booked.back(), true);
      }
      both.ExpectAlike(AnySlot());
    }
    const int64_t now = *rc::gen::inRange<int64_t>(0, kSeconds);
    both.small.ForgetBefore({now});
    both.large.ForgetBefore(both.Large(now));
    both.ExpectAlike({{now}, {now + 50}, 5});
    const Rusv copy = both.large;
    RC_ASSERT(copy == both.large);
    while (!booked.empty()) {
      both.Change(booked.back(), false);
      booked.pop_back();
    }
    RC_ASSERT(both.large == both.large && both.large.empty() == both.small.empty());
  }));
}

// A job with an odd number of bytes joins a node whose jobs all use whole gigabytes, and leaves
// again.
TEST(NarrowNumbers, AFinerAmountCountsExactly) {
  constexpr int64_t kGb = int64_t{1} << 30;
  Rusv memory(512 * kGb);
  memory.Increment({{0}, {100}, 500 * kGb});
  const Rusv before = memory;
  memory.Increment({{50}, {150}, 1});
  EXPECT_EQ(memory.FreeIn({0}, {100}), 12 * kGb - 1);
  EXPECT_EQ(memory.At({120}), 1);
  EXPECT_EQ(memory.EarliestFit(12 * kGb, {60}, {0}), Instant{100});
  memory.Decrement({{50}, {150}, 1});
  EXPECT_EQ(memory, before);
  EXPECT_EQ(memory.FreeIn({0}, {100}), 12 * kGb);
}

TEST(NarrowNumbers, ASlotFarFromTheOthersIsKept) {
  constexpr int64_t kCentury = int64_t{100} * 365 * 86400;
  Rusv used(8);
  used.Increment({{0}, {10}, 3});
  used.Increment({{kCentury}, {kCentury + 10}, 8});
  EXPECT_EQ(used.EarliestFit(1, {kCentury}, {0}), Instant{0});
  EXPECT_EQ(used.EarliestFit(1, {kCentury + 1}, {0}), Instant{kCentury + 10});
  used.ForgetBefore({kCentury + 5});
  EXPECT_EQ(used.Slots(), (std::vector<Slot>{{{kCentury + 5}, {kCentury + 10}, 8}}));
}

TEST(NarrowNumbers, AnOpenSlotThatDoesNotFitAtOnceIsKept) {
  constexpr int64_t kOdd = (int64_t{1} << 40) + 1;
  Rusv used(2 * kOdd);
  used.Increment({{5}, kFarFuture, kOdd});
  EXPECT_EQ(used.At({int64_t{1} << 50}), kOdd);
  EXPECT_EQ(used.EarliestFit(kOdd + 1, {1}, {0}), Instant{0});
  EXPECT_EQ(used.EarliestFit(kOdd + 1, {1}, {5}), kFarFuture);
  used.Decrement({{5}, kFarFuture, kOdd});
  EXPECT_TRUE(used.empty());
}

// Many parts may share a node: levels near the greatest narrow number are still counted correctly.
TEST(NarrowNumbers, LevelsMayOutgrowThem) {
  constexpr int64_t kMuch = (int64_t{1} << 28) + 1;
  Rusv used(40 * kMuch);
  for (int64_t i = 0; i < 20; ++i) used.Increment({{i}, {100 + i}, kMuch});
  EXPECT_EQ(used.FreeIn({0}, {200}), 20 * kMuch);
  for (int64_t i = 0; i < 20; ++i) used.Decrement({{i}, {100 + i}, kMuch});
  EXPECT_TRUE(used.empty());
}

}  // namespace
}  // namespace muster::rusv::flat_edges_test
