// The executor by itself: each effect of each row of protocol.md section 3.2, once and in order.
// The rows' effects are written here a second time, copied from that page by hand.
#include "verifier/attempt_executor.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace muster::verifier {
namespace {

using S = schemas::AttemptState;
using E = AttemptEvent;
using Told = std::vector<std::string>;

// Notes what it is told to do.
class Listener final : public AttemptActions {
 public:
  void Enter(S next) override { told.push_back("enter " + std::to_string(static_cast<int>(next))); }
  void WriteDecision() override { told.emplace_back("write the decision"); }
  void WritePromise() override { told.emplace_back("write the promise"); }
  void WriteSuperseded() override { told.emplace_back("write superseded"); }
  void WritePermit() override { told.emplace_back("write the permit"); }
  void WriteAbort() override { told.emplace_back("write the abort"); }
  void WritePartial() override { told.emplace_back("write the partial start"); }
  void WriteOutcome() override { told.emplace_back("write the outcome"); }
  void BookMembers() override { told.emplace_back("book"); }
  void OrderHolds() override { told.emplace_back("order holds"); }
  void OrderCommit() override { told.emplace_back("order commit"); }
  void OrderPermit() override { told.emplace_back("order permit"); }
  void OrderRelease() override { told.emplace_back("order release"); }
  void ReleaseReplaced() override { told.emplace_back("release the replaced"); }
  void TellUser() override { told.emplace_back("tell the user"); }
  void SeekReplacement() override { told.emplace_back("seek a replacement"); }
  void ResumeSearch() override { told.emplace_back("resume the search"); }
  void PlaceAgain() override { told.emplace_back("place again"); }
  void CountPartial() override { told.emplace_back("count the partial start"); }

  Told told;
};

Told FromPage(int row) {
  static const std::map<int, Told> kRows{
      {1, {"book", "order holds"}},
      {2, {"order release", "resume the search"}},
      {3,
       {"write the decision", "write the promise", "write superseded", "book", "order commit",
        "release the replaced", "tell the user"}},
      {4,
       {"write the decision", "write the promise", "write superseded", "write the permit", "book",
        "order permit", "release the replaced", "tell the user"}},
      {5, {"tell the user"}},
      {6, {}},
      {7, {"seek a replacement"}},
      {8, {"write the permit", "order permit", "tell the user"}},
      {9, {"write the abort", "order release", "tell the user", "place again"}},
      {10, {"book"}},
      {11,
       {"write the partial start", "order release", "tell the user", "count the partial start"}},
      {12, {"write the outcome", "place again"}},
      {13, {}}};
  return kRows.at(row);
}

TEST(AttemptExecutor, CarriesOutEachEffectOfEachRowOnceAndInTheOrderOfTheTable) {
  constexpr int kGuards = 64;
  std::map<int, int> rows;
  for (int s = 0; s <= static_cast<int>(S::kClosed); ++s) {
    for (int e = 0; e < kAttemptEvents; ++e) {
      for (int bits = 0; bits < kGuards; ++bits) {
        const AttemptGuards guards{.several = (bits & 1) != 0,
                                   .before_window_end = (bits & 2) != 0,
                                   .wanted = (bits & 4) != 0,
                                   .rival_permitted = (bits & 8) != 0,
                                   .members_heard = (bits & 16) != 0,
                                   .superseded = (bits & 32) != 0};
        const AttemptStep step = NextAttemptStep(static_cast<S>(s), static_cast<E>(e), guards);
        if (step.row == 0) continue;
        ++rows[step.row];
        Listener listener;
        Execute(step, listener);
        Told want{"enter " + std::to_string(static_cast<int>(step.next))};
        const Told effects = FromPage(step.row);
        want.insert(want.end(), effects.begin(), effects.end());
        EXPECT_EQ(listener.told, want) << "row C" << step.row;
      }
    }
  }
  EXPECT_EQ(rows.size(), 13u);
}

TEST(AttemptExecutor, EveryEffectHasAnActionOfItsOwn) {
  std::map<std::string, int> times;
  for (int i = 0; i < kAttemptEffects; ++i) {
    Listener listener;
    Execute({.row = 1, .next = S::kHolding, .effects = 1u << i}, listener);
    ASSERT_EQ(listener.told.size(), 2u);
    ++times[listener.told[1]];
  }
  EXPECT_EQ(times.size(), static_cast<size_t>(kAttemptEffects));
}

TEST(AttemptExecutor, WhatIsNoRowOfTheTableIsNotCarriedOut) {
  Listener listener;
  const AttemptStep nothing{.row = 0, .next = S::kHolding};
  EXPECT_DEATH(Execute(nothing, listener), "row");
  const AttemptStep unknown{.row = 1, .next = S::kHolding, .effects = 1u << kAttemptEffects};
  EXPECT_DEATH(Execute(unknown, listener), "kAttemptEffects");
}

}  // namespace
}  // namespace muster::verifier
