// The order inside a block, as worked out by hand. Maui Sect. III (Fairshare); scheduling.md
// section 12.
#include "policy/progressive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/random.h"
#include "policy/points.h"

namespace muster::policy {
namespace {

FairshareRules TwoAlike() {
  return {.shares = {{.who = "account a", .target = 500}, {.who = "account b", .target = 500}}};
}
Uses Nothing(size_t shares) { return {std::vector<Use>(shares), {}}; }
Entrant Of(size_t share, int64_t booked = 10, int64_t points = 0) {
  return {points, {share}, {share}, booked};
}
std::vector<const Entrant*> All(const std::vector<Entrant>& entrants) {
  std::vector<const Entrant*> out;
  for (const Entrant& entrant : entrants) out.push_back(&entrant);
  return out;
}
// "abab": who leaves, in order.
std::string Order(Progressive progressive, const std::vector<Entrant>& entrants, size_t count) {
  std::string out;
  for (const size_t i : progressive.Take(All(entrants), count)) {
    out += entrants[i].from.empty() ? '-' : static_cast<char>('a' + entrants[i].from[0]);
  }
  return out;
}

TEST(Progressive, AHundredOfOneAccountAndTenOfAnotherTakeTurns) {
  std::vector<Entrant> entrants(100, Of(0));
  entrants.insert(entrants.end(), 10, Of(1));
  const Progressive progressive(TwoAlike(), 1000, Nothing(2));
  EXPECT_EQ(Order(progressive, entrants, 24),
            "abababababababababab"
            "aaaa");
}

TEST(Progressive, AnAccountOfThreeQuartersLeavesThreeTimesAsOften) {
  FairshareRules rules = TwoAlike();
  rules.shares[0].target = 750;
  rules.shares[1].target = 250;
  std::vector<Entrant> entrants(40, Of(0));
  entrants.insert(entrants.end(), 40, Of(1));
  const std::string order = Order(Progressive(rules, 1000, Nothing(2)), entrants, 40);
  EXPECT_EQ(std::count(order.begin(), order.end(), 'a'), 30) << order;
}

TEST(Progressive, WhatWasUsedBeforeIsMadeUpForFirst) {
  Uses uses = Nothing(2);
  uses.own[0].by_window = {30};
  uses.all.by_window = {30};
  std::vector<Entrant> entrants(6, Of(0));
  entrants.insert(entrants.end(), 6, Of(1));
  EXPECT_EQ(Order(Progressive(TwoAlike(), 1000, uses), entrants, 6), "bbbaba");
}

TEST(Progressive, OtherPointsAddUpWithTheShare) {
  // 10 of 10 booked: the value of a is -1000, that of b 1000.
  const std::vector<Entrant> entrants = {Of(0), Of(0, 10, 2001), Of(1)};
  EXPECT_EQ(Progressive(TwoAlike(), 1000, Nothing(2)).Take(All(entrants), 3),
            (std::vector<size_t>{1, 2, 0}));
  const std::vector<Entrant> more = {Of(0, 10, 5000), Of(0, 10, 2001), Of(1)};
  EXPECT_EQ(Progressive(TwoAlike(), 1000, Nothing(2)).Take(All(more), 3),
            (std::vector<size_t>{0, 1, 2}));
}

TEST(Progressive, TheLeastOfSeveralSharesCounts) {
  FairshareRules rules = TwoAlike();
  Uses uses = Nothing(2);
  uses.own[0].by_window = {100};
  uses.all.by_window = {100};
  const std::vector<Entrant> entrants = {
      {0, {0, 1}, {0, 1}, 10}, {0, {1}, {1}, 10}, {0, {}, {}, 10}};
  EXPECT_EQ(Order(Progressive(rules, 1000, uses), entrants, 3), "b-a");
}

TEST(Progressive, WhoeverIsUnderAFloorGoesFirstUntilTheFloorIsReached) {
  FairshareRules rules{.shares = {{.who = "account a", .floor = 100}}};
  Uses uses = Nothing(1);
  uses.all.by_window = {100};
  std::vector<Entrant> entrants(2, Entrant{9000, {}, {}, 10});
  entrants.insert(entrants.end(), 3, Of(0, 10, 0));
  EXPECT_EQ(Order(Progressive(rules, 1000, uses), entrants, 5), "aa--a")
      << "20 of 120 are more than a tenth";
}

TEST(Progressive, IsWhatChoosingTheBestAnewAfterEachOneGives) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    FairshareRules rules = TwoAlike();
    rules.shares.push_back({.who = "kim", .floor = 200});
    rules.tree = false;
    Uses uses = Nothing(3);
    for (Use& use : uses.own) use.by_window = {random.Between(0, 50)};
    uses.all.by_window = {150};
    std::vector<Entrant> entrants;
    const int64_t weight = random.Between(-2000, 2000);
    for (int64_t n = random.Between(1, 25); n > 0; --n) {
      Entrant one{random.Between(-9, 9) * 100, {}, {}, random.Between(0, 30)};
      for (size_t share = 0; share < 3; ++share) {
        if (random.Between(0, 2) == 0) one.from.push_back(share);
        if (random.Between(0, 1) == 0) one.adds_to.push_back(share);
      }
      entrants.push_back(std::move(one));
    }
    std::vector<size_t> wanted;
    Uses now = uses;
    while (wanted.size() < entrants.size()) {
      std::optional<std::pair<int64_t, size_t>> best;
      for (size_t i = 0; i < entrants.size(); ++i) {
        if (std::count(wanted.begin(), wanted.end(), i) != 0) continue;
        std::optional<std::pair<int64_t, bool>> least;
        for (const size_t share : entrants[i].from) {
          const Part part = PartOf(rules, now.own[share], now.all);
          const int64_t value = ShareValue(rules.shares[share], part);
          if (!least || value < least->first) {
            least = {value, UnderFloor(rules.shares[share], part)};
          }
        }
        int64_t points = entrants[i].points;
        if (least) points += PointsOf(weight, least->first) + (least->second ? kFloorFirst : 0);
        if (!best || points > best->first) best = {points, i};
      }
      wanted.push_back(best->second);
      now.all.booked += entrants[best->second].booked;
      for (const size_t share : entrants[best->second].adds_to) {
        now.own[share].booked += entrants[best->second].booked;
      }
    }
    EXPECT_EQ(Progressive(rules, weight, uses).Take(All(entrants), entrants.size()), wanted)
        << round;
  }
}

}  // namespace
}  // namespace muster::policy
