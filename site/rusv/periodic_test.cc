// Repeating validities as vectors (OpenCCS Sect. 5.4).
#include "site/rusv/periodic.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "base/calendar.h"

namespace muster::rusv {
namespace {

constexpr int64_t kHours = 3600;

// Every Monday and Friday from 7 to 11; 1 January 1970 was a Thursday.
Rusv MondayAndFridayMorning(Kind kind) {
  return Rusv::OfSlots(kind, 100,
                       {{{kDay.seconds + 7 * kHours}, {kDay.seconds + 11 * kHours}, 1},
                        {{4 * kDay.seconds + 7 * kHours}, {4 * kDay.seconds + 11 * kHours}, 1}});
}

TEST(Periodic, ThePapersMondaysAndFridaysOfEightYears) {
  const Instant from = FromCivil({.year = 2018, .month = 1, .day = 1});
  const Instant until = FromCivil({.year = 2026, .month = 1, .day = 1});
  const Rusv all = Transpose(MondayAndFridayMorning(Kind::kFree), 30, from, until, kWeek);
  const std::vector<Slot> slots = all.Slots();
  // 418 Mondays, from the very first day on, and 417 Fridays.
  EXPECT_EQ(slots.size(), 835u);
  EXPECT_EQ(ToCivil(slots.front().start), (Civil{.year = 2018, .month = 1, .day = 1, .hour = 7}));
  EXPECT_EQ(ToCivil(slots.back().stop), (Civil{.year = 2025, .month = 12, .day = 29, .hour = 11}));
  // Day after day along the calendar: 1 January 2018 was a Monday.
  int weekday = 1;
  for (Instant day = from; day < until; day = day + kDay, weekday = (weekday + 1) % 7) {
    const bool valid = weekday == 1 || weekday == 5;
    EXPECT_EQ(all.At(day + Span{7 * kHours - 1}), 100);
    EXPECT_EQ(all.At(day + Span{7 * kHours}), valid ? 30 : 100);
    EXPECT_EQ(all.At(day + Span{11 * kHours - 1}), valid ? 30 : 100);
    EXPECT_EQ(all.At(day + Span{11 * kHours}), 100);
  }
}

TEST(Periodic, EndsOfTheIntervalCutSlots) {
  const Rusv pattern = Rusv::OfSlots(Kind::kUsed, 10, {{{600}, {1200}, 1}});
  const Rusv cut = Transpose(pattern, 4, {900}, {3600 + 700}, kHour);
  EXPECT_EQ(cut.Slots(), (std::vector<Slot>{{{900}, {1200}, 4}, {{4200}, {4300}, 4}}));
  EXPECT_TRUE(Transpose(pattern, 4, {1200}, {4200}, kHour).empty());
  EXPECT_TRUE(Transpose(pattern, 4, {900}, {900}, kHour).empty());
  EXPECT_TRUE(Transpose(Rusv(Kind::kUsed, 10), 4, {0}, {9000}, kHour).empty());
}

TEST(Periodic, ASlotThatFillsItsPeriodIsOneSlot) {
  const Rusv pattern = Rusv::OfSlots(Kind::kUsed, 10, {{{0}, {3600}, 1}});
  EXPECT_EQ(Transpose(pattern, 4, {-5000}, {100000}, kHour).Slots(),
            (std::vector<Slot>{{{-5000}, {100000}, 4}}));
}

TEST(Periodic, TheCalendarRepeatsAfterFourHundredYears) {
  const Instant leap = FromCivil({.year = 2000, .month = 2, .day = 29});
  const Rusv pattern = Rusv::OfSlots(Kind::kUsed, 10, {{leap, leap + kDay, 1}});
  const Instant again = FromCivil({.year = 2400, .month = 2, .day = 29});
  EXPECT_EQ(Transpose(pattern, 2, leap + kDay, again + kWeek, kCalendarPeriod).Slots(),
            (std::vector<Slot>{{again, again + kDay, 2}}));
}

TEST(Periodic, EverySecondIsAsInThePattern) {
  EXPECT_TRUE(rc::check([] {
    const int64_t period = *rc::gen::inRange<int64_t>(1, 40);
    Rusv pattern(*rc::gen::element(Kind::kUsed, Kind::kFree), 9);
    const int64_t rest = pattern.At({0});
    for (int64_t t = 0; t < period; ++t) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      const Slot second{{t}, {t + 1}, 1};
      pattern.kind() == Kind::kUsed ? pattern.Increment(second) : pattern.Decrement(second);
    }
    const int64_t from = *rc::gen::inRange<int64_t>(-200, 200);
    const int64_t until = from + *rc::gen::inRange<int64_t>(0, 300);
    const Rusv all = Transpose(pattern, 4, {from}, {until}, {period});
    for (int64_t t = from - 50; t < until + 50; ++t) {
      const int64_t phase = ((t % period) + period) % period;
      const bool valid = t >= from && t < until && pattern.At({phase}) != rest;
      RC_ASSERT(all.At({t}) == (valid ? 4 : rest));
    }
  }));
}

}  // namespace
}  // namespace muster::rusv
