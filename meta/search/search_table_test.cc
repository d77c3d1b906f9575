// Every goal, stage and event. The expected rows are written here a second time, so that a slip in
// the table shows.
#include "meta/search/search_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace muster::meta {
namespace {

using G = Goal;
using S = Stage;
using E = SearchEvent;
using T = Then;

struct Row {
  int row;
  std::set<G> goals;
  std::set<S> stages;
  std::set<E> events;
  S next;
  T then;
};

const std::set<G> kAll = {G::kFirstPlace,       G::kEndangered,     G::kGateMoved,
                          G::kEarlierElsewhere, G::kEarlierJointly, G::kAltered};
const std::set<G> kTried = {G::kEarlierElsewhere, G::kEarlierJointly, G::kAltered};
const std::set<S> kOpen = {S::kWaits, S::kAsked};

std::vector<Row> Rows() {
  return {
      {1, kAll, kOpen, {E::kAsk}, S::kAsked, T::kGoesOn},
      {2, kAll, kOpen, {E::kHold}, S::kHolds, T::kGoesOn},
      {3,
       {G::kFirstPlace, G::kEndangered, G::kGateMoved},
       kOpen,
       {E::kNotNow},
       S::kWaits,
       T::kTriesAgain},
      {4, {G::kFirstPlace, G::kEndangered}, kOpen, {E::kNoPlace}, S::kWaits, T::kTriesAgain},
      {4, {G::kFirstPlace, G::kEndangered}, {S::kHolds}, {E::kNoPlace}, S::kHolds, T::kTriesAgain},
      {5,
       {G::kGateMoved},
       {S::kWaits, S::kAsked, S::kHolds},
       {E::kNoPlace},
       S::kDone,
       T::kKeepsPlace},
      {6, kTried, kOpen, {E::kNotNow, E::kNoPlace, E::kNever}, S::kDone, T::kGivesUp},
      {6, kTried, {S::kHolds}, {E::kNoPlace, E::kNever}, S::kDone, T::kGivesUp},
      {7,
       {G::kFirstPlace, G::kEndangered, G::kAltered},
       {S::kHolds},
       {E::kRefused},
       S::kWaits,
       T::kTriesAgain},
      {8, {G::kGateMoved}, {S::kHolds}, {E::kRefused}, S::kDone, T::kKeepsPlace},
      {9,
       {G::kEarlierElsewhere, G::kEarlierJointly},
       {S::kHolds},
       {E::kRefused},
       S::kDone,
       T::kGivesUp},
      {10, {G::kFirstPlace}, {S::kWaits, S::kAsked, S::kHolds}, {E::kNever}, S::kDone, T::kEnds},
      {11, {G::kEndangered, G::kGateMoved}, {S::kWaits}, {E::kNever}, S::kWaits, T::kGoesOn},
      {11, {G::kEndangered, G::kGateMoved}, {S::kAsked}, {E::kNever}, S::kAsked, T::kGoesOn},
      {11, {G::kEndangered, G::kGateMoved}, {S::kHolds}, {E::kNever}, S::kHolds, T::kGoesOn},
  };
}

TEST(SearchTable, EveryGoalStageAndEventGivesItsRowOrNone) {
  std::map<std::tuple<G, S, E>, const Row*> expected;
  const std::vector<Row> rows = Rows();
  for (const Row& row : rows) {
    for (const G goal : row.goals) {
      for (const S stage : row.stages) {
        for (const E event : row.events) {
          EXPECT_TRUE(expected.emplace(std::tuple(goal, stage, event), &row).second)
              << "two rows for one case, the second is S" << row.row;
        }
      }
    }
  }
  std::set<int> seen;
  for (int g = 0; g < kGoals; ++g) {
    for (int s = 0; s < kStages; ++s) {
      for (int e = 0; e < kSearchEvents; ++e) {
        const std::tuple at(static_cast<G>(g), static_cast<S>(s), static_cast<E>(e));
        const SearchStep step = std::apply(NextSearchStep, at);
        const auto row = expected.find(at);
        SCOPED_TRACE(testing::Message() << "goal " << g << ", stage " << s << ", event " << e);
        if (row == expected.end()) {
          EXPECT_EQ(step.row, 0);
          continue;
        }
        EXPECT_EQ(step.row, row->second->row);
        EXPECT_EQ(step.next, row->second->next);
        EXPECT_EQ(step.then, row->second->then);
        seen.insert(step.row);
      }
    }
  }
  EXPECT_EQ(seen.size(), 11U);
}

TEST(SearchTable, WhatHasAPlaceNeverEndsForWantOfAnother) {
  for (int g = 0; g < kGoals; ++g) {
    for (int s = 0; s < kStages; ++s) {
      for (int e = 0; e < kSearchEvents; ++e) {
        const auto goal = static_cast<G>(g);
        const SearchStep step = NextSearchStep(goal, static_cast<S>(s), static_cast<E>(e));
        if (step.then == T::kEnds) EXPECT_EQ(goal, G::kFirstPlace);
      }
    }
  }
}

}  // namespace
}  // namespace muster::meta
