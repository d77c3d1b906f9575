// The operations of OpenCCS Sect. 4.1 on the overlaps of Fig. 3, and a vector like that of Fig. 2.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "site/rusv/rusv.h"

namespace muster::rusv {
namespace {

using Slots = std::vector<Slot>;

// The existing slot is [100, 200) with 5 used items.
struct Overlap {
  std::string name;
  Slot added;
  Slots incremented;  // used items after an increment by the new slot
  Slots decremented;  // used items after a decrement instead
};

std::vector<Overlap> Overlaps() {
  return {
      {"Covers",  // case (1): a and c are new, b is changed
       {{50}, {250}, 2},
       {{{50}, {100}, 2}, {{100}, {200}, 7}, {{200}, {250}, 2}},
       {{{100}, {200}, 3}}},
      {"LiesInside",
       {{120}, {180}, 2},
       {{{100}, {120}, 5}, {{120}, {180}, 7}, {{180}, {200}, 5}},
       {{{100}, {120}, 5}, {{120}, {180}, 3}, {{180}, {200}, 5}}},
      {"CrossesTheStart",
       {{50}, {150}, 2},
       {{{50}, {100}, 2}, {{100}, {150}, 7}, {{150}, {200}, 5}},
       {{{100}, {150}, 3}, {{150}, {200}, 5}}},
      {"CrossesTheStop",
       {{150}, {250}, 2},
       {{{100}, {150}, 5}, {{150}, {200}, 7}, {{200}, {250}, 2}},
       {{{100}, {150}, 5}, {{150}, {200}, 3}}},
      {"IsTheSame", {{100}, {200}, 5}, {{{100}, {200}, 10}}, {}},
      {"LiesApart", {{300}, {400}, 2}, {{{100}, {200}, 5}, {{300}, {400}, 2}}, {{{100}, {200}, 5}}},
      {"TouchesAndIsEqual",  // consecutive slots with equal items are joined
       {{200}, {300}, 5},
       {{{100}, {300}, 5}},
       {{{100}, {200}, 5}}},
      {"TouchesAndDiffers",
       {{50}, {100}, 2},
       {{{50}, {100}, 2}, {{100}, {200}, 5}},
       {{{100}, {200}, 5}}},
      {"TakesMoreThanIsThere",  // slots of at most 0 used items are removed
       {{50}, {150}, 9},
       {{{50}, {100}, 9}, {{100}, {150}, 14}, {{150}, {200}, 5}},
       {{{150}, {200}, 5}}},
      {"HasNoEnd",
       {{150}, kFarFuture, 2},
       {{{100}, {150}, 5}, {{150}, {200}, 7}, {{200}, kFarFuture, 2}},
       {{{100}, {150}, 5}, {{150}, {200}, 3}}},
  };
}

class OverlapOfSlots : public testing::TestWithParam<Overlap> {};

INSTANTIATE_TEST_SUITE_P(Fig3, OverlapOfSlots, testing::ValuesIn(Overlaps()),
                         [](const auto& info) { return info.param.name; });

TEST_P(OverlapOfSlots, IncrementOfUsedItems) {
  Rusv rusv(20);
  rusv.Increment({{100}, {200}, 5});
  rusv.Increment(GetParam().added);
  EXPECT_EQ(rusv.Slots(), GetParam().incremented);
}

TEST_P(OverlapOfSlots, DecrementOfUsedItems) {
  Rusv rusv(20);
  rusv.Increment({{100}, {200}, 5});
  rusv.Decrement(GetParam().added);
  EXPECT_EQ(rusv.Slots(), GetParam().decremented);
}

// Fig. 2: slots of used items, some not adjacent; elsewhere nothing is used.
TEST(Fig2, WhatHasNoSlotHasNoUsedItems) {
  const Slots slots{{{10}, {20}, 4}, {{20}, {35}, 7}, {{50}, {60}, 2}, {{80}, kFarFuture, 1}};
  Rusv rusv(8);
  for (const Slot& slot : slots) rusv.Increment(slot);
  EXPECT_EQ(rusv.Slots(), slots);
  for (int64_t t = 0; t < 100; ++t) {
    int64_t used = 0;
    for (const Slot& slot : slots) {
      if (slot.start.seconds <= t && t < slot.stop.seconds) used = slot.items;
    }
    EXPECT_EQ(rusv.At({t}), used);
    EXPECT_EQ(rusv.FreeIn({t}, {t + 1}), 8 - used);
  }
}

}  // namespace
}  // namespace muster::rusv
