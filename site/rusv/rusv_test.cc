// Resource usage vectors against a naive array with one number per second (OpenCCS Sect. 4.1).
#include "site/rusv/rusv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/random.h"

namespace muster::rusv {
namespace {

constexpr int64_t kSeconds = 120;
constexpr int64_t kAvailable = 20;

// Items of every second of [0, kSeconds); what lies beyond stays completely free.
using Naive = std::vector<int64_t>;

Naive Expand(const Rusv& rusv) {
  Naive out(kSeconds);
  for (int64_t t = 0; t < kSeconds; ++t) out[static_cast<size_t>(t)] = rusv.At({t});
  return out;
}

int64_t Clamp(Kind kind, int64_t items) {
  return kind == Kind::kUsed ? std::max<int64_t>(items, 0) : std::min(items, kAvailable);
}

void Apply(Naive& naive, Kind kind, const Slot& slot, int64_t sign) {
  for (int64_t t = slot.start.seconds; t < std::min(kSeconds, slot.stop.seconds); ++t) {
    int64_t& items = naive[static_cast<size_t>(t)];
    items = Clamp(kind, items + sign * slot.items);
  }
}

Slot RandomSlot(Random& random) {
  const int64_t start = random.Between(0, kSeconds - 2);
  const int64_t stop = random.Between(start, kSeconds - 1);
  return {{start}, {stop}, random.Between(0, 9)};
}

// A vector and its naive twin after `changes` random increments and decrements.
struct Twins {
  Rusv rusv;
  Naive naive;
};
Twins RandomTwins(Random& random, Kind kind, int changes) {
  Twins out{Rusv(kind, kAvailable), Naive(kSeconds, kind == Kind::kUsed ? 0 : kAvailable)};
  for (int i = 0; i < changes; ++i) {
    const Slot slot = RandomSlot(random);
    const bool add = random.Chance(kind == Kind::kUsed ? 650 : 350);
    if (add) {
      out.rusv.Increment(slot);
    } else {
      out.rusv.Decrement(slot);
    }
    Apply(out.naive, kind, slot, add ? 1 : -1);
  }
  return out;
}

void ExpectCanonical(const Rusv& rusv) {
  const std::vector<Slot> slots = rusv.Slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    EXPECT_LT(slots[i].start, slots[i].stop);
    if (rusv.kind() == Kind::kUsed) EXPECT_GT(slots[i].items, 0);
    if (rusv.kind() == Kind::kFree) EXPECT_LT(slots[i].items, rusv.avl());
    if (i == 0) continue;
    EXPECT_LE(slots[i - 1].stop, slots[i].start);
    if (slots[i - 1].stop == slots[i].start) EXPECT_NE(slots[i - 1].items, slots[i].items);
  }
}

class RusvProperty : public testing::TestWithParam<Kind> {
 protected:
  // Runs `check` on many random vectors; few changes give sparse ones, many give more groups than
  // one.
  void ForRandom(const std::function<void(Random&, const Twins&)>& check) {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Random random(seed);
      check(random, RandomTwins(random, GetParam(), static_cast<int>(random.Below(120))));
      if (HasFailure()) return;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, RusvProperty, testing::Values(Kind::kUsed, Kind::kFree),
                         [](const auto& info) {
                           return info.param == Kind::kUsed ? "Used" : "Free";
                         });

TEST_P(RusvProperty, IncrementAndDecrementEqualTheArray) {
  ForRandom([](Random&, const Twins& twins) {
    EXPECT_EQ(Expand(twins.rusv), twins.naive);
    ExpectCanonical(twins.rusv);
  });
}

TEST_P(RusvProperty, MaximumAndMinimumOfARangeEqualTheArray) {
  ForRandom([](Random& random, const Twins& twins) {
    for (int i = 0; i < 20; ++i) {
      const int64_t begin = random.Between(0, kSeconds - 2);
      const int64_t end = random.Between(begin + 1, kSeconds - 1);
      const auto [low, high] =
          std::minmax_element(twins.naive.begin() + begin, twins.naive.begin() + end);
      EXPECT_EQ(twins.rusv.MaxIn({begin}, {end}), *high);
      EXPECT_EQ(twins.rusv.MinIn({begin}, {end}), *low);
    }
  });
}

int64_t FreeAt(const Twins& twins, int64_t t) {
  const int64_t items =
      t < kSeconds ? twins.naive[static_cast<size_t>(t)] : twins.rusv.At({kSeconds});
  return twins.rusv.kind() == Kind::kUsed ? kAvailable - items : items;
}

TEST_P(RusvProperty, EarliestFitIsTheEarliestOfTheArray) {
  ForRandom([](Random& random, const Twins& twins) {
    for (int i = 0; i < 20; ++i) {
      const int64_t items = random.Between(0, kAvailable);
      const int64_t length = random.Between(1, 30);
      const int64_t from = random.Between(0, kSeconds - 1);
      int64_t t = from;
      const auto fits = [&] {
        for (int64_t s = t; s < t + length; ++s) {
          if (FreeAt(twins, s) < items) return false;
        }
        return true;
      };
      while (!fits()) ++t;
      EXPECT_EQ(twins.rusv.EarliestFit(items, {length}, {from}), Instant{t});
    }
  });
}

TEST_P(RusvProperty, FirstShortAndNextEdgeEqualTheArray) {
  ForRandom([](Random& random, const Twins& twins) {
    for (int i = 0; i < 20; ++i) {
      const int64_t items = random.Between(0, kAvailable);
      const int64_t from = random.Between(0, kSeconds - 2);
      int64_t t = from;
      while (t < kSeconds && FreeAt(twins, t) >= items) ++t;
      EXPECT_EQ(twins.rusv.FirstShort(items, {from}), t < kSeconds ? Instant{t} : kFarFuture);
      t = from + 1;
      while (t < kSeconds && FreeAt(twins, t) == FreeAt(twins, t - 1)) ++t;
      EXPECT_EQ(twins.rusv.NextEdge({from}), t < kSeconds ? Instant{t} : kFarFuture);
    }
  });
}

TEST_P(RusvProperty, NextWindowChangeIsTheFirstStartWithAnotherMinimum) {
  ForRandom([](Random& random, const Twins& twins) {
    for (int i = 0; i < 20; ++i) {
      const int64_t length = random.Between(1, 30);
      const int64_t from = random.Between(0, kSeconds - 2);
      const auto least = [&](int64_t t) {
        int64_t free = FreeAt(twins, t);
        for (int64_t s = t; s < t + length; ++s) free = std::min(free, FreeAt(twins, s));
        return free;
      };
      int64_t t = from + 1;
      while (t <= kSeconds && least(t) == least(from)) ++t;
      EXPECT_EQ(twins.rusv.NextWindowChange({length}, {from}),
                t <= kSeconds ? Instant{t} : kFarFuture);
    }
  });
}

TEST_P(RusvProperty, GetFreeSlotsHoldsExactlyTheStretchesLongEnough) {
  ForRandom([](Random& random, const Twins& twins) {
    const int64_t items = random.Between(1, kAvailable);
    const int64_t duration = random.Between(1, 25);
    const int64_t from = random.Between(0, 60);
    const int64_t until = random.Between(from, kSeconds - 1);
    const Rusv slots = twins.rusv.GetFreeSlots(items, {duration}, {from}, {until});
    Naive expected(kSeconds, 0);
    for (int64_t t = from; t < until;) {
      int64_t end = t;
      while (end < until && FreeAt(twins, end) >= items) ++end;
      for (int64_t s = t; end - t >= duration && s < end; ++s) {
        expected[static_cast<size_t>(s)] = FreeAt(twins, s);
      }
      t = std::max(end, t + 1);
    }
    for (int64_t& value : expected) value = std::max<int64_t>(value, 0);
    EXPECT_EQ(Expand(slots), expected);
  });
}

TEST_P(RusvProperty, ForgettingThePastKeepsTheFuture) {
  ForRandom([](Random& random, const Twins& twins) {
    const int64_t t = random.Between(0, kSeconds - 1);
    Rusv rusv = twins.rusv;
    rusv.ForgetBefore({t});
    Naive expected = twins.naive;
    std::fill(expected.begin(), expected.begin() + t, GetParam() == Kind::kUsed ? 0 : kAvailable);
    EXPECT_EQ(Expand(rusv), expected);
    ExpectCanonical(rusv);
  });
}

TEST_P(RusvProperty, AdditionAndSubtractionApplyEverySlotOfTheOther) {
  ForRandom([](Random& random, const Twins& twins) {
    const Twins other = RandomTwins(random, GetParam(), 10);
    Rusv sum = twins.rusv;
    Rusv difference = twins.rusv;
    sum.Add(other.rusv);
    difference.Subtract(other.rusv);
    Naive expected_sum = twins.naive;
    Naive expected_difference = twins.naive;
    for (const Slot& slot : other.rusv.Slots()) {
      Apply(expected_sum, GetParam(),
            {slot.start, {std::min(kSeconds, slot.stop.seconds)}, slot.items}, 1);
      Apply(expected_difference, GetParam(), slot, -1);
    }
    EXPECT_EQ(Expand(sum), expected_sum);
    EXPECT_EQ(Expand(difference), expected_difference);
  });
}

TEST_P(RusvProperty, PointwiseMaximumAndMinimumEqualTheArray) {
  ForRandom([](Random& random, const Twins& twins) {
    const Twins other = RandomTwins(random, GetParam(), 30);
    const Naive high = Expand(Max(twins.rusv, other.rusv));
    const Naive low = Expand(Min(twins.rusv, other.rusv));
    for (size_t t = 0; t < kSeconds; ++t) {
      EXPECT_EQ(high[t], std::max(twins.naive[t], other.naive[t]));
      EXPECT_EQ(low[t], std::min(twins.naive[t], other.naive[t]));
    }
  });
}

TEST(Rusv, InverseOfTheInverseIsTheVector) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    Rusv used(Kind::kUsed, kAvailable);
    for (int i = 0; i < 40; ++i) {
      Slot slot = RandomSlot(random);
      if (slot.start >= slot.stop) continue;
      slot.items = std::min(slot.items, kAvailable - used.MaxIn(slot.start, slot.stop));
      used.Increment(slot);
    }
    const Rusv free = used.Inverse();
    EXPECT_EQ(free.kind(), Kind::kFree);
    for (int64_t t = 0; t < kSeconds; ++t) EXPECT_EQ(free.At({t}), kAvailable - used.At({t}));
    EXPECT_EQ(free.Inverse(), used) << "seed " << seed;
  }
}

TEST(Rusv, IntersectionIsWhatIsFreeInBoth) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Twins a = RandomTwins(random, Kind::kFree, 40);
    const Twins b = RandomTwins(random, Kind::kFree, 40);
    const Naive both = Expand(Intersect(a.rusv, b.rusv));
    for (size_t t = 0; t < kSeconds; ++t) EXPECT_EQ(both[t], std::min(a.naive[t], b.naive[t]));
  }
}

TEST(Rusv, MinFreeLeavesAtMostTheLimitFree) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Twins system = RandomTwins(random, Kind::kUsed, 40);
    Rusv limit(Kind::kFree, kAvailable);
    Naive allowed(kSeconds, kAvailable);
    for (int i = 0; i < 5; ++i) {
      const Slot slot = RandomSlot(random);
      limit.Decrement(slot);
      Apply(allowed, Kind::kFree, slot, -1);
    }
    const Naive seen = Expand(MinFree(system.rusv, limit));
    for (size_t t = 0; t < kSeconds; ++t) {
      EXPECT_EQ(kAvailable - seen[t], std::min(kAvailable - system.naive[t], allowed[t]));
    }
  }
}

TEST(Rusv, RevokingRestoresTheExactVector) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    Rusv rusv(Kind::kUsed, kAvailable);
    for (int i = 0; i < 30; ++i) rusv.Increment(RandomSlot(random));
    const Rusv before = rusv;
    const Slot slot = RandomSlot(random);
    rusv.Increment(slot);
    rusv.Decrement(slot);
    EXPECT_EQ(rusv, before) << "seed " << seed;
  }
}

TEST(Rusv, ASlotWithoutEndLastsForEver) {
  Rusv rusv(Kind::kUsed, 4);
  rusv.Increment({{100}, kFarFuture, 3});
  EXPECT_EQ(rusv.At({1 << 30}), 3);
  EXPECT_EQ(rusv.EarliestFit(2, {10}, {95}), kFarFuture);
  EXPECT_EQ(rusv.EarliestFit(2, {10}, {90}), Instant{90});
  EXPECT_EQ(rusv.EarliestFit(1, {10}, {95}), Instant{95});
  EXPECT_EQ(rusv.Slots(), (std::vector<Slot>{{{100}, kFarFuture, 3}}));
}

TEST(Rusv, DefectsLowerWhatIsAvailable) {
  Rusv rusv(Kind::kUsed, 4);
  rusv.Increment({{0}, {10}, 2});
  EXPECT_EQ(rusv.FreeIn({0}, {5}), 2);
  rusv.SetDefect(3);
  EXPECT_EQ(rusv.avl(), 1);
  EXPECT_EQ(rusv.max_avl(), 4);
  EXPECT_EQ(rusv.FreeIn({0}, {5}), -1);
  EXPECT_EQ(rusv.EarliestFit(1, {5}, {0}), Instant{10});
  EXPECT_EQ(rusv.EarliestFit(2, {5}, {0}), kFarFuture);
}

}  // namespace
}  // namespace muster::rusv
