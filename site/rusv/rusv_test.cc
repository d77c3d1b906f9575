// Resource usage vectors against a naive array with one number per second (OpenCCS Sect. 4.1).
#include "site/rusv/rusv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/random.h"

namespace muster::rusv::rusv_test {
namespace {

constexpr int64_t kSeconds = 120;
constexpr int64_t kAvailable = 20;

// The items of every second of [0, kSeconds); everything later stays completely free.
using Naive = std::vector<int64_t>;

Naive Expand(const Rusv& rusv) {
  Naive out(kSeconds);
  for (int64_t t = 0; t < kSeconds; ++t) out[static_cast<size_t>(t)] = rusv.At({t});
  return out;
}

void Apply(Naive& naive, const Slot& slot, int64_t sign) {
  for (int64_t t = slot.start.seconds; t < std::min(kSeconds, slot.stop.seconds); ++t) {
    int64_t& items = naive[static_cast<size_t>(t)];
    items = std::max<int64_t>(items + sign * slot.items, 0);
  }
}

Slot RandomSlot(Random& random) {
  const int64_t start = random.Between(0, kSeconds - 2);
  const int64_t stop = random.Between(start, kSeconds - 1);
  return {{start}, {stop}, random.Between(0, 9)};
}

// A vector and an equivalent naive array after `changes` random increments and decrements.
struct Twins {
  Rusv rusv;
  Naive naive;
};
Twins RandomTwins(Random& random, int changes) {
  Twins out{Rusv(kAvailable), Naive(kSeconds, 0)};
  for (int i = 0; i < changes; ++i) {
    const Slot slot = RandomSlot(random);
    const bool add = random.Chance(650);
    if (add) {
      out.rusv.Increment(slot);
    } else {
      out.rusv.Decrement(slot);
    }
    Apply(out.naive, slot, add ? 1 : -1);
  }
  return out;
}

void ExpectCanonical(const Rusv& rusv) {
  const std::vector<Slot> slots = rusv.Slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    EXPECT_LT(slots[i].start, slots[i].stop);
    EXPECT_GT(slots[i].items, 0);
    if (i == 0) continue;
    EXPECT_LE(slots[i - 1].stop, slots[i].start);
    if (slots[i - 1].stop == slots[i].start) EXPECT_NE(slots[i - 1].items, slots[i].items);
  }
}

// Runs `check` on many random vectors: few changes give sparse ones, many give dense ones.
void ForRandom(const std::function<void(Random&, const Twins&)>& check) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    check(random, RandomTwins(random, static_cast<int>(random.Below(120))));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RusvProperty, IncrementAndDecrementEqualTheArray) {
  ForRandom([](Random&, const Twins& twins) {
    EXPECT_EQ(Expand(twins.rusv), twins.naive);
    ExpectCanonical(twins.rusv);
  });
}

TEST(RusvProperty, MaximumAndMinimumOfARangeEqualTheArray) {
  ForRandom([](Random& random, const Twins& twins) {
    for (int i = 0; i < 20; ++i) {
      const int64_t begin = random.Between(0, kSeconds - 2);
      const int64_t end = random.Between(begin + 1, kSeconds - 1);
      const auto [low, high] =
          std::minmax_element(twins.naive.begin() + begin, twins.naive.begin() + end);
      EXPECT_EQ(twins.rusv.FreeIn({begin}, {end}), kAvailable - *high);
      EXPECT_EQ(twins.rusv.MinIn({begin}, {end}), *low);
    }
  });
}

int64_t FreeAt(const Twins& twins, int64_t t) {
  const int64_t items =
      t < kSeconds ? twins.naive[static_cast<size_t>(t)] : twins.rusv.At({kSeconds});
  return kAvailable - items;
}

TEST(RusvProperty, EarliestFitIsTheEarliestOfTheArray) {
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

TEST(RusvProperty, FirstShortAndNextEdgeEqualTheArray) {
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

TEST(RusvProperty, NextWindowChangeIsTheFirstStartWithAnotherMinimum) {
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

TEST(RusvProperty, ForgettingThePastKeepsTheFuture) {
  ForRandom([](Random& random, const Twins& twins) {
    const int64_t t = random.Between(0, kSeconds - 1);
    Rusv rusv = twins.rusv;
    rusv.ForgetBefore({t});
    Naive expected = twins.naive;
    std::fill(expected.begin(), expected.begin() + t, 0);
    EXPECT_EQ(Expand(rusv), expected);
    ExpectCanonical(rusv);
  });
}

TEST(RusvProperty, ThePointwiseMaximumEqualsTheArray) {
  ForRandom([](Random& random, const Twins& twins) {
    const Twins other = RandomTwins(random, 30);
    const Naive high = Expand(Max(twins.rusv, other.rusv));
    for (size_t t = 0; t < kSeconds; ++t) {
      EXPECT_EQ(high[t], std::max(twins.naive[t], other.naive[t]));
    }
  });
}

TEST(Rusv, RevokingRestoresTheExactVector) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    Rusv rusv(kAvailable);
    for (int i = 0; i < 30; ++i) rusv.Increment(RandomSlot(random));
    const Rusv before = rusv;
    const Slot slot = RandomSlot(random);
    rusv.Increment(slot);
    rusv.Decrement(slot);
    EXPECT_EQ(rusv, before) << "seed " << seed;
  }
}

TEST(Rusv, ASlotWithoutEndLastsForEver) {
  Rusv rusv(4);
  rusv.Increment({{100}, kFarFuture, 3});
  EXPECT_EQ(rusv.At({1 << 30}), 3);
  EXPECT_EQ(rusv.EarliestFit(2, {10}, {95}), kFarFuture);
  EXPECT_EQ(rusv.EarliestFit(2, {10}, {90}), Instant{90});
  EXPECT_EQ(rusv.EarliestFit(1, {10}, {95}), Instant{95});
  EXPECT_EQ(rusv.Slots(), (std::vector<Slot>{{{100}, kFarFuture, 3}}));
}

TEST(Rusv, DefectsLowerWhatIsAvailable) {
  Rusv rusv(4);
  rusv.Increment({{0}, {10}, 2});
  EXPECT_EQ(rusv.FreeIn({0}, {5}), 2);
  rusv.SetDefect(3);
  EXPECT_EQ(rusv.avl(), 1);
  EXPECT_EQ(rusv.FreeIn({0}, {5}), -1);
  EXPECT_EQ(rusv.EarliestFit(1, {5}, {0}), Instant{10});
  EXPECT_EQ(rusv.EarliestFit(2, {5}, {0}), kFarFuture);
}

}  // namespace
}  // namespace muster::rusv::rusv_test
