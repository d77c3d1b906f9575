// Shares as worked out by hand. Maui Sect. III (Fairshare); scheduling.md section 12.
#include "policy/shares.h"

#include <gtest/gtest.h>

namespace muster::policy {
namespace {

constexpr Span kADay{86'400};
constexpr Span kAnHour{3600};

FairshareRules Halving() { return {.depth = 3, .decay = 500}; }
Share Target(int64_t thousandths) { return {.who = "@chem", .target = thousandths}; }

TEST(Shares, OlderWindowsFade) {
  const FairshareRules rules = Halving();
  const Part now = PartOf(rules, {{40, 20, 80}}, {{100, 100, 200}});
  EXPECT_EQ(now.counts, 350'000) << "70 of 200";
  EXPECT_EQ(ShareValue(Target(250), now), -400);
  // A day on, when it used nothing of 100.
  const Part later = PartOf(rules, {{0, 40, 20, 80}}, {{100, 100, 100, 200}});
  EXPECT_EQ(later.counts, 142'857) << "25 of 175; the fourth window counts no more";
}

TEST(Shares, PromisedWorkCountsBesideUsedWork) {
  const FairshareRules rules = Halving();
  const Part part = PartOf(rules, {{40, 20, 80}, 20}, {{100, 100, 200}, 40});
  EXPECT_EQ(part.counts, 375'000) << "90 of 240";
  EXPECT_EQ(part.used, 350'000);
  EXPECT_EQ(part.booked, 500'000);
  FairshareRules without = rules;
  without.booked = 0;
  EXPECT_EQ(PartOf(without, {{40, 20, 80}, 20}, {{100, 100, 200}, 40}).counts, 350'000);
}

TEST(Shares, WhereNothingWasUsedEverybodyHasTheWhole) {
  const Part none = PartOf(Halving(), {}, {});
  EXPECT_EQ(none, Part{});
  EXPECT_EQ(ShareValue(Target(250), none), 1000);
  EXPECT_EQ(PartOf(Halving(), {}, {{100}}).counts, 0);
  EXPECT_EQ(ShareValue(Target(250), PartOf(Halving(), {}, {{100}})), 1000);
  EXPECT_EQ(ShareValue(Target(250), PartOf(Halving(), {{100}}, {{100}})), -1000) << "clamped";
}

TEST(Shares, AFloorOnlyRaisesAndACeilingOnlyLowers) {
  const Share floor{.who = "@chem", .floor = 200};
  const Share ceiling{.who = "@chem", .ceiling = 200};
  const Part less = PartOf(Halving(), {{10}}, {{100}});
  const Part more = PartOf(Halving(), {{30}}, {{100}});
  EXPECT_EQ(ShareValue(floor, less), 500);
  EXPECT_EQ(ShareValue(floor, more), 0);
  EXPECT_EQ(ShareValue(ceiling, less), 0);
  EXPECT_EQ(ShareValue(ceiling, more), -500);
  EXPECT_TRUE(UnderFloor(floor, less));
  EXPECT_TRUE(UnderFloor(floor, Part{})) << "it has had nothing";
  EXPECT_FALSE(UnderFloor(floor, more));
  EXPECT_FALSE(UnderFloor(ceiling, less));
}

// Half a day on: chem has had 40, 20 and 80 of 100, 100 and 200, and is promised 20 of 40.
class Ceilings : public ::testing::Test {
 protected:
  const FairshareRules rules_ = Halving();
  const Zone zone_;
  const Instant midnight_ = FromCivil({2026, 11, 28, 0, 0, 0});
  const Instant now_ = midnight_ - Span{12 * 3600};
  const Share share_{.who = "account chem", .ceiling = 300, .admission = true};
  Course chem_{{40, 20, 80}, {{now_, now_ + Span{6 * 3600}, 20}}};
  Course all_{{100, 100, 200},
              {{now_, now_ + Span{6 * 3600}, 20}, {now_, now_ + Span{6 * 3600}, 20}}};
  Instant From() const { return AdmittedFrom(rules_, zone_, share_, chem_, all_, now_); }
};

TEST_F(Ceilings, DateNewWorkToTheRollOverByWhichTheShareHasComeDown) {
  // 90 of 240 are 37.5 %. At midnight 35 of 95 would be used, and from noon on others use 100.
  all_.coming.push_back({midnight_ + Span{13 * 3600}, midnight_ + Span{23 * 3600}, 100});
  EXPECT_EQ(From(), midnight_);
}

TEST_F(Ceilings, DateNewWorkToWhenAllHasFadedIfNobodyElseUsesAnything) {
  EXPECT_EQ(From(), midnight_ + kADay + kADay) << "the windows of today count no more";
}

TEST_F(Ceilings, AdmitAtOnceWhoeverIsBelow) {
  chem_.coming.clear();
  all_.by_window = {200, 100, 200};
  EXPECT_EQ(From(), now_) << "70 of 340";
  EXPECT_EQ(AdmittedFrom(rules_, zone_, share_, {}, {}, now_), now_) << "nothing was used";
}

TEST_F(Ceilings, WorkThatNeverEndsEndsTheSearchAllTheSame) {
  chem_.coming = {{now_, now_ + Span{400 * 86'400}, 1'000'000}};
  all_.coming = chem_.coming;
  EXPECT_GT(From(), now_ + Span{366 * 86'400});
}

TEST(Shares, LargeAmountsDoNotOverflow) {
  FairshareRules rules{.depth = 366, .decay = 999};
  const std::vector<int64_t> much(366, INT64_MAX / 2);
  const Part part = PartOf(rules, {much, INT64_MAX / 2}, {much, INT64_MAX});
  EXPECT_GT(part.counts.value(), 990'000);
  EXPECT_LE(part.counts.value(), 1'000'000);
}

TEST(Windows, BeginAtMidnightOfTheZoneAndAtWholeWindowsFromThen) {
  const Zone zone = Zone::Fixed(kAnHour);
  const Instant midnight = FromCivil({2026, 11, 26, 23, 0, 0});  // 00:00 on the 27th
  FairshareRules rules;
  EXPECT_EQ(WindowOf(rules, zone, midnight), midnight);
  EXPECT_EQ(WindowOf(rules, zone, midnight + kADay - Span{1}), midnight);
  EXPECT_EQ(WindowOf(rules, zone, midnight - Span{1}), midnight - kADay);
  rules.window = Span{6 * 3600};
  EXPECT_EQ(WindowOf(rules, zone, midnight + Span{7 * 3600}), midnight + Span{6 * 3600});
  rules.window = kADay;
  rules.depth = 3;
  EXPECT_EQ(WindowsAt(rules, zone, midnight + kAnHour),
            (std::vector<Instant>{midnight, midnight - kADay, midnight - kADay - kADay}));
}

// On the last Sunday of October a day has 25 hours: its windows are one day all the same.
TEST(Windows, ADayIsADayWhenClocksChange) {
  const Instant change = FromCivil({2026, 10, 25, 1, 0, 0});
  const Zone zone(Span{7200}, {{change, kAnHour}});
  const FairshareRules rules{.depth = 2};
  const Instant begin = FromCivil({2026, 10, 24, 22, 0, 0});
  const Instant next = FromCivil({2026, 10, 25, 23, 0, 0});
  EXPECT_EQ(WindowOf(rules, zone, begin), begin);
  EXPECT_EQ(WindowOf(rules, zone, next - Span{1}), begin);
  EXPECT_EQ(WindowOf(rules, zone, next), next);
  EXPECT_EQ(WindowsAt(rules, zone, next), (std::vector<Instant>{next, begin}));
}

}  // namespace
}  // namespace muster::policy
