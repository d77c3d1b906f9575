// Every (state, event) of protocol.md section 3.3, the site's side, written out.
#include "verifier/part_table.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::verifier::part_table_test {
namespace {

using schemas::PartState;
using S = PartState;
using V = PartEvent;
using Key = std::pair<S, V>;

// All pairs that do something; every other pair changes nothing.
const std::map<Key, std::pair<PartRow, S>>& Table() {
  static const std::map<Key, std::pair<PartRow, S>> table = {
      {{S::kBooked, V::kNodesClean}, {PartRow::kReady, S::kReady}},
      {{S::kReady, V::kNodeLost}, {PartRow::kNodeLost, S::kBooked}},
      {{S::kBooked, V::kNodeLost}, {PartRow::kNodeLost, S::kBooked}},
      {{S::kBooked, V::kDue}, {PartRow::kStarting, S::kStarting}},
      {{S::kReady, V::kDue}, {PartRow::kStarting, S::kStarting}},
      {{S::kStarting, V::kStarted}, {PartRow::kRunning, S::kRunning}},
      {{S::kStarting, V::kNotStarted}, {PartRow::kNotStarted, S::kBooked}},
      {{S::kStarting, V::kEndInSight}, {PartRow::kEnding, S::kEnding}},
      {{S::kRunning, V::kEndInSight}, {PartRow::kEnding, S::kEnding}},
      {{S::kEnding, V::kNotStarted}, {PartRow::kEnded, S::kEnded}},
      {{S::kStarting, V::kProcessesGone}, {PartRow::kEnded, S::kEnded}},
      {{S::kRunning, V::kProcessesGone}, {PartRow::kEnded, S::kEnded}},
      {{S::kEnding, V::kProcessesGone}, {PartRow::kEnded, S::kEnded}},
      {{S::kStarting, V::kFoundRunning}, {PartRow::kFound, S::kRunning}},
      {{S::kRunning, V::kFoundRunning}, {PartRow::kFound, S::kRunning}},
      {{S::kEnding, V::kFoundRunning}, {PartRow::kFound, S::kEnding}},
      {{S::kStarting, V::kFoundEnded}, {PartRow::kFound, S::kEnded}},
      {{S::kRunning, V::kFoundEnded}, {PartRow::kFound, S::kEnded}},
      {{S::kEnding, V::kFoundEnded}, {PartRow::kFound, S::kEnded}},
      {{S::kStarting, V::kFoundNeverRan}, {PartRow::kFound, S::kBooked}},
      {{S::kRunning, V::kFoundNeverRan}, {PartRow::kFound, S::kEnded}},
      {{S::kEnding, V::kFoundNeverRan}, {PartRow::kFound, S::kEnded}},
      {{S::kStarting, V::kFoundCannotTell}, {PartRow::kFound, S::kEnded}},
      {{S::kRunning, V::kFoundCannotTell}, {PartRow::kFound, S::kEnded}},
      {{S::kEnding, V::kFoundCannotTell}, {PartRow::kFound, S::kEnded}},
  };
  return table;
}

template <class Visit>
void ForAll(Visit visit) {
  for (int s = 0; s <= static_cast<int>(S::kEnded); ++s) {
    for (int e = 0; e <= static_cast<int>(kLastPartEvent); ++e) {
      visit(static_cast<S>(s), static_cast<V>(e));
    }
  }
}

TEST(PartTable, DoesForEveryPairWhatThePageListsElseNothing) {
  ForAll([](S state, V event) {
    const PartStep step = NextPart(state, event);
    const auto listed = Table().find({state, event});
    if (listed == Table().end()) {
      ASSERT_EQ(step, (PartStep{PartRow::kNone, state, {}})) << int(state) << " " << int(event);
      return;
    }
    ASSERT_EQ(step.row, listed->second.first) << int(state) << " " << int(event);
    ASSERT_EQ(step.next, listed->second.second) << int(state) << " " << int(event);
  });
}

TEST(PartTable, WritesAndReportsEveryChange) {
  ForAll([](S state, V event) {
    const PartStep step = NextPart(state, event);
    if (step.next != state) {
      ASSERT_TRUE(step.effects.write && step.effects.report);
    }
  });
}

TEST(PartTable, StoresFinalUsageExactlyAtTheEnd) {
  ForAll([](S state, V event) {
    const PartStep step = NextPart(state, event);
    const bool ends = state != S::kEnded && step.next == S::kEnded;
    ASSERT_EQ(step.effects.final_usage, ends);
  });
}

TEST(PartTable, GivesANewTokenToEveryTryAndToNothingElse) {
  ForAll([](S state, V event) {
    const PartStep step = NextPart(state, event);
    const bool tries = state != S::kStarting && step.next == S::kStarting;
    ASSERT_EQ(step.effects.new_token, tries);
  });
}

TEST(PartTable, OnlyAProofThatNothingRanLeadsBackToBooked) {
  ForAll([](S state, V event) {
    if (!MayHaveProcesses(state) || NextPart(state, event).next != S::kBooked) return;
    ASSERT_EQ(state, S::kStarting);
    ASSERT_TRUE(event == V::kNotStarted || event == V::kFoundNeverRan);
  });
}

TEST(PartTable, AnOutcomeNobodyCanTellIsNeverCalledStartedOrNot) {
  for (S state : {S::kStarting, S::kRunning, S::kEnding}) {
    const PartStep step = NextPart(state, V::kFoundCannotTell);
    EXPECT_TRUE(step.effects.started_unknown);
    EXPECT_FALSE(step.effects.started_yes);
  }
}

}  // namespace
}  // namespace muster::verifier::part_table_test
