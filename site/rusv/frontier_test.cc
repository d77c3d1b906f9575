// A vector with a frontier must give the same answers as one without.
#include "site/rusv/frontier.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster::rusv::frontier_test {
namespace {

constexpr int64_t kAvailable = 100;
constexpr int64_t kHorizon = 40000;

// Books requests at their earliest fit until the vector is large enough to use its frontier.
struct Booked {
  RusvWithFrontier vector{kAvailable};
  std::vector<Slot> slots;

  Slot Book(int64_t items, int64_t length, int64_t from) {
    const Instant t = vector.EarliestFit(items, {length}, {from});
    RC_ASSERT(t == vector.rusv().EarliestFit(items, {length}, {from}));
    const Slot slot{t, t + Span{length}, items};
    vector.Increment(slot);
    slots.push_back(slot);
    return slot;
  }
};

int64_t AnyItems() { return *rc::gen::inRange<int64_t>(1, 40); }
int64_t AnyLength() {
  return int64_t{1} << *rc::gen::inRange(0, 12) | *rc::gen::inRange<int64_t>(0, 300);
}

Booked Filled() {
  Booked out;
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  for (uint64_t x = seed; out.vector.rusv().edge_count() < Edges::kFlatEdges + 200;) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    out.Book(static_cast<int64_t>(x >> 33) % 40 + 1, static_cast<int64_t>(x >> 40) % 900 + 1, 0);
  }
  return out;
}

TEST(Frontier, FindsWhatAPlainSearchFindsWhateverHappensBetween) {
  EXPECT_TRUE(rc::check([] {
    Booked booked = Filled();
    int64_t now = 0;
    int64_t defect = 0;
    for (int step = 0; step < 150; ++step) {
      const int64_t what = *rc::gen::inRange<int64_t>(0, 20);
      if (what < 8) {
        booked.Book(AnyItems(), AnyLength(), now);
      } else if (what < 14 && !booked.slots.empty()) {
        const size_t i = *rc::gen::inRange<size_t>(0, booked.slots.size());
        Slot slot = booked.slots[i];
        booked.slots.erase(booked.slots.begin() + static_cast<long>(i));
        slot.start = std::max(slot.start, Instant{now});
        booked.vector.Decrement(slot);
      } else if (what == 14) {
        now += *rc::gen::inRange<int64_t>(0, 300);
        booked.vector.ForgetBefore({now});
      } else if (what == 15) {
        defect = *rc::gen::inRange<int64_t>(0, 5);
        booked.vector.SetDefect(defect);
      } else {
        // Also from later instants, and from before the forgotten past.
        const Instant from{now + *rc::gen::inRange<int64_t>(-100, kHorizon)};
        const int64_t items = *rc::gen::inRange<int64_t>(0, kAvailable + 2);
        const Span length{AnyLength()};
        RC_ASSERT(booked.vector.EarliestFit(items, length, from) ==
                  booked.vector.rusv().EarliestFit(items, length, from));
      }
    }
  }));
}

TEST(Frontier, ClassesAreRoundedDown) {
  EXPECT_TRUE(rc::check([] {
    const int64_t items = *rc::gen::inRange<int64_t>(1, int64_t{1} << 40);
    const int64_t length = *rc::gen::inRange<int64_t>(1, int64_t{1} << 30);
    const Frontier::Class of = Frontier::ClassOf(items, length);
    RC_ASSERT(of.items > 0 && of.items <= items && of.length > 0 && of.length <= length);
    RC_ASSERT(items - of.items <= items / 8);
    const Frontier::Class again = Frontier::ClassOf(of.items, of.length);
    RC_ASSERT(again.row == of.row && again.column == of.column);
    RC_ASSERT(again.items == of.items && again.length == of.length);
    RC_ASSERT(Frontier::ClassOf(items + 1, length).row >= of.row);
    RC_ASSERT(Frontier::ClassOf(items, length + 1).column >= of.column);
  }));
}

TEST(Frontier, ARequestThatWasReleasedIsFoundAgain) {
  Booked booked;
  while (booked.vector.rusv().edge_count() <= Edges::kFlatEdges) {
    const auto n = static_cast<int64_t>(booked.slots.size());
    booked.Book(n % 37 + 1, n * 131 % 997 + 10, 0);
  }
  const Slot early = booked.slots[3];
  const Instant later = booked.vector.EarliestFit(early.items, early.stop - early.start, {0});
  EXPECT_GT(later, early.start);
  booked.vector.Decrement(early);
  EXPECT_LE(booked.vector.EarliestFit(early.items, early.stop - early.start, {0}), early.start);
}

}  // namespace
}  // namespace muster::rusv::frontier_test
