// Large vectors against a naive array with one number per second: a vector that grows from flat to
// leaves and shrinks back must always answer as the array does.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

#include "site/rusv/edges.h"
#include "site/rusv/rusv.h"

namespace muster::rusv {
namespace {

constexpr int64_t kSeconds = 6000;
constexpr int64_t kAvailable = 60;

struct Range {
  int64_t begin = 0;
  int64_t length = 1;
  int64_t items = 1;
  bool operator==(const Range&) const = default;
};

void showValue(const Range& range, std::ostream& out) {
  out << "[" << range.begin << ", +" << range.length << ") x " << range.items;
}

rc::Gen<Range> AnyRange() {
  const auto short_or_long = rc::gen::weightedOneOf<int64_t>(
      {{8, rc::gen::inRange<int64_t>(1, 60)}, {1, rc::gen::inRange<int64_t>(60, kSeconds)}});
  return rc::gen::build<Range>(
      rc::gen::set(&Range::begin, rc::gen::inRange<int64_t>(0, kSeconds - 1)),
      rc::gen::set(&Range::length, short_or_long),
      rc::gen::set(&Range::items, rc::gen::inRange<int64_t>(1, 9)));
}

// rapidcheck must not shrink such a large number of ranges: that would take hours. The seed that
// it prints replays a failure.
std::vector<Range> DrawRanges(size_t count) {
  return *rc::gen::noShrink(rc::gen::container<std::vector<Range>>(count, AnyRange()));
}

Slot SlotOf(const Range& range) {
  return {{range.begin}, {std::min(range.begin + range.length, kSeconds)}, range.items};
}

// A vector and an equivalent naive array.
class Twins {
 public:
  Twins() : rusv_(kAvailable), free_(kSeconds, kAvailable) {}

  const Rusv& rusv() const { return rusv_; }

  // Adds or removes used items; the array never gets more free items than exist.
  void Take(const Slot& slot, int64_t sign) {
    if (sign > 0) {
      rusv_.Increment(slot);
    } else {
      rusv_.Decrement(slot);
    }
    for (int64_t t = slot.start.seconds; t < slot.stop.seconds; ++t) {
      int64_t& free = free_[static_cast<size_t>(t)];
      free = std::min(free - sign * slot.items, kAvailable);
    }
  }
  void Forget(int64_t t) {
    rusv_.ForgetBefore({t});
    std::fill(free_.begin(), free_.begin() + t, kAvailable);
  }

  int64_t FreeAt(int64_t t) const {
    return t >= 0 && t < kSeconds ? free_[static_cast<size_t>(t)] : kAvailable;
  }
  int64_t FreeIn(int64_t begin, int64_t end) const {
    int64_t least = FreeAt(begin);
    for (int64_t t = begin; t < end; ++t) least = std::min(least, FreeAt(t));
    return least;
  }
  int64_t EarliestFit(int64_t items, int64_t length, int64_t from) const {
    int64_t good = 0;
    for (int64_t t = from;; ++t) {
      good = FreeAt(t) >= items ? good + 1 : 0;
      if (good == length) return t + 1 - length;
    }
  }

  void ExpectSame() const {
    for (int64_t t = -1; t <= kSeconds; ++t) {
      RC_ASSERT(kAvailable - rusv_.At({t}) == FreeAt(t));
    }
    std::vector<Slot> slots;  // canonical: joined, without free stretches
    for (int64_t t = 0; t < kSeconds; ++t) {
      if (FreeAt(t) == kAvailable) continue;
      const int64_t items = kAvailable - FreeAt(t);
      if (!slots.empty() && slots.back().stop == Instant{t} && slots.back().items == items) {
        slots.back().stop = {t + 1};
      } else {
        slots.push_back({{t}, {t + 1}, items});
      }
    }
    RC_ASSERT(rusv_.Slots() == slots);
  }
  void ExpectSameAnswers(const Range& q) const {
    const int64_t end = q.begin + q.length;
    const int64_t items = q.items * 7 % (kAvailable + 1);
    const int64_t fit = EarliestFit(items, q.length, q.begin);
    RC_ASSERT(rusv_.EarliestFit(items, {q.length}, {q.begin}) == Instant{fit});
    RC_ASSERT(rusv_.FreeIn({q.begin}, {end}) == FreeIn(q.begin, end));
    int64_t most_free = FreeAt(q.begin);
    for (int64_t t = q.begin; t < end; ++t) most_free = std::max(most_free, FreeAt(t));
    RC_ASSERT(kAvailable - rusv_.MinIn({q.begin}, {end}) == most_free);
    int64_t t = q.begin;
    while (t < kSeconds && FreeAt(t) >= items) ++t;
    RC_ASSERT(rusv_.FirstShort(items, {q.begin}) == (t < kSeconds ? Instant{t} : kFarFuture));
    if (FreeAt(q.begin) >= items) {
      t = q.begin;
      while (t >= 0 && FreeAt(t) >= items) --t;
      const Instant since = rusv_.FreeSince(items, {q.begin});
      const bool expected = t < 0 ? since <= Instant{0} : since == Instant{t + 1};
      RC_ASSERT(expected);
    }
    t = q.begin + 1;
    while (t <= kSeconds && FreeAt(t) == FreeAt(t - 1)) ++t;
    RC_ASSERT(rusv_.NextEdge({q.begin}) == (t <= kSeconds ? Instant{t} : kFarFuture));
  }

 private:
  Rusv rusv_;
  std::vector<int64_t> free_;
};

TEST(LargeVectors, AnswerAsTheArrayWhileTheyGrowAndShrink) {
  EXPECT_TRUE(rc::check([] {
    Twins twins;
    const std::vector<Range> ranges = DrawRanges(1500);
    size_t most = 0;
    for (size_t i = 0; i < ranges.size(); ++i) {
      twins.Take(SlotOf(ranges[i]), 1);
      most = std::max(most, twins.rusv().edge_count());
      if (i % 50 == 0) twins.ExpectSameAnswers(ranges[ranges.size() - 1 - i]);
    }
    RC_TAG(most > Edges::kFlatEdges ? "leaves" : "flat");
    twins.ExpectSame();
    // Removes them out of order (7 and 1,500 have no common factor), so that leaves in different
    // places become empty.
    for (size_t i = 0; i < ranges.size(); ++i) {
      twins.Take(SlotOf(ranges[i * 7 % ranges.size()]), -1);
      if (i % 50 == 0) twins.ExpectSameAnswers(ranges[i]);
      if (i % 500 == 0) twins.ExpectSame();
    }
    RC_ASSERT(twins.rusv().empty());
  }));
}

TEST(LargeVectors, GivingBackMoreThanWasTakenStopsAtCompletelyFree) {
  EXPECT_TRUE(rc::check([] {
    Twins twins;
    for (const Range& range : DrawRanges(1200)) twins.Take(SlotOf(range), 1);
    for (const Range& range : DrawRanges(20)) {
      twins.Take({{range.begin}, SlotOf(range).stop, 10 * range.items}, -1);
      twins.ExpectSameAnswers(range);
    }
    twins.ExpectSame();
  }));
}

TEST(LargeVectors, ForgetThePastAsTheArrayDoes) {
  EXPECT_TRUE(rc::check([] {
    Twins twins;
    for (const Range& range : DrawRanges(1500)) twins.Take(SlotOf(range), 1);
    std::vector<int64_t> times =
        *rc::gen::container<std::vector<int64_t>>(12, rc::gen::inRange<int64_t>(0, kSeconds));
    std::sort(times.begin(), times.end());
    for (const int64_t t : times) {
      twins.Forget(t);
      twins.ExpectSame();
    }
  }));
}

TEST(LargeVectors, RevokingAfterBookingRestoresTheVector) {
  EXPECT_TRUE(rc::check([] {
    Rusv rusv(kAvailable);
    for (const Range& range : DrawRanges(*rc::gen::inRange<size_t>(0, 900))) {
      rusv.Increment(SlotOf(range));
    }
    const Rusv before = rusv;
    std::vector<Range> booked = DrawRanges(*rc::gen::inRange<size_t>(1, 600));
    for (const Range& range : booked) rusv.Increment(SlotOf(range));
    std::sort(booked.begin(), booked.end(),
              [](const Range& a, const Range& b) { return a.length < b.length; });
    for (const Range& range : booked) rusv.Decrement(SlotOf(range));
    RC_ASSERT(rusv == before);
    RC_ASSERT(rusv.Slots() == before.Slots());
  }));
}

TEST(LargeVectors, TheMaximumOfTwoEqualsTheArrays) {
  EXPECT_TRUE(rc::check([] {
    Rusv one(kAvailable);
    Rusv other(kAvailable);
    for (const Range& r : DrawRanges(*rc::gen::inRange<size_t>(0, 800))) one.Increment(SlotOf(r));
    for (const Range& r : DrawRanges(*rc::gen::element<size_t>(3, 300))) other.Increment(SlotOf(r));
    const Rusv most = Max(one, other);
    for (int64_t t = -1; t <= kSeconds; ++t) {
      RC_ASSERT(most.At({t}) == std::max(one.At({t}), other.At({t})));
    }
  }));
}

}  // namespace
}  // namespace muster::rusv
