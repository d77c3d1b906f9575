// Every (state, event, guards) of protocol.md section 3.1 against a second transcription of the
// table: which rows list the pair, and what is H20 because no row does.
#include "verifier/hold_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace muster::verifier::hold_table_test {
namespace {

using schemas::ClosedAs;
using schemas::HoldState;
using S = HoldState;
using V = HoldEvent;

const std::set<S> kAll = {S::kNone,      S::kHeld,      S::kPrepared,
                          S::kCommitted, S::kPermitted, S::kClosed};
const std::set<S> kLive = {S::kHeld, S::kPrepared, S::kCommitted, S::kPermitted};
const std::set<S> kPromised = {S::kPrepared, S::kCommitted, S::kPermitted};
const std::set<V> kCreating = {V::kHoldHeld, V::kHoldPrepared, V::kCommitDirect};

using Guard = std::function<bool(const HoldGuards&)>;

struct Listed {
  HoldRow row;
  std::set<S> states;
  std::set<V> events;
  Guard guard;
  std::optional<S> next;  // none: same
};

bool Admitted(const HoldGuards& g) { return !g.fence_below_floor && g.within_caps && g.feasible; }
bool Always(const HoldGuards&) { return true; }

// The table as the page has it.
const std::vector<Listed>& Table() {
  static const std::vector<Listed> table = {
      {HoldRow::kH1, {S::kNone}, {V::kHoldHeld}, Admitted, S::kHeld},
      {HoldRow::kH2, {S::kNone}, {V::kHoldPrepared}, Admitted, S::kPrepared},
      {HoldRow::kH3,
       {S::kNone, S::kHeld},
       {V::kCommitDirect},
       [](const HoldGuards& g) { return Admitted(g) && g.one_member; },
       S::kCommitted},
      {HoldRow::kH4,
       {S::kNone},
       {V::kHoldHeld, V::kHoldPrepared},
       [](const HoldGuards& g) { return !g.fence_below_floor && !Admitted(g); },
       {}},
      {HoldRow::kH4,
       {S::kNone, S::kHeld},
       {V::kCommitDirect},
       [](const HoldGuards& g) { return !g.fence_below_floor && !(Admitted(g) && g.one_member); },
       {}},
      {HoldRow::kH5,
       {S::kNone},
       {V::kRelease},
       [](const HoldGuards& g) { return !g.fence_below_floor; },
       S::kClosed},
      {HoldRow::kH5,
       {S::kNone},
       {V::kRelease},
       [](const HoldGuards& g) { return g.fence_below_floor; },
       {}},
      {HoldRow::kH6, {S::kNone}, {V::kPrepare, V::kCommit, V::kPermit}, Always, {}},
      {HoldRow::kH7,
       {S::kHeld},
       {V::kPrepare},
       [](const HoldGuards& g) { return g.lease_alive; },
       S::kPrepared},
      {HoldRow::kH8, {S::kHeld}, {V::kLeaseEnds, V::kHigherEpoch}, Always, S::kClosed},
      {HoldRow::kH9, {S::kPrepared}, {V::kCommit}, Always, S::kCommitted},
      {HoldRow::kH10,
       {S::kPrepared, S::kCommitted},
       {V::kPermit},
       [](const HoldGuards& g) { return g.before_deadline; },
       S::kPermitted},
      {HoldRow::kH11, {S::kPrepared, S::kCommitted}, {V::kDeadlinePasses}, Always, S::kClosed},
      {HoldRow::kH12,
       kLive,
       {V::kRelease},
       [](const HoldGuards& g) { return !g.started; },
       S::kClosed},
      {HoldRow::kH13,
       kLive,
       {V::kRelease},
       [](const HoldGuards& g) { return g.started && !g.unless_started; },
       {}},
      {HoldRow::kH14,
       kPromised,
       {V::kSiteCause},
       [](const HoldGuards& g) { return !g.started && g.same_start_fits; },
       {}},
      {HoldRow::kH15,
       kPromised,
       {V::kSiteCause},
       [](const HoldGuards& g) {
         return !g.started && !g.same_start_fits && g.one_member && g.later_start_fits;
       },
       {}},
      {HoldRow::kH16,
       kPromised,
       {V::kSiteCause},
       [](const HoldGuards& g) {
         return !g.started && !g.same_start_fits && !(g.one_member && g.later_start_fits);
       },
       S::kClosed},
      {HoldRow::kH17,
       {S::kCommitted, S::kPermitted},
       {V::kEarlierSlot},
       [](const HoldGuards& g) { return !g.started && g.one_member && g.not_before_earliest; },
       {}},
      {HoldRow::kH18,
       {S::kPermitted},
       {V::kLastStartPasses},
       [](const HoldGuards& g) { return !g.started; },
       S::kClosed},
      {HoldRow::kH19, {S::kPermitted}, {V::kAllPartsEnded}, Always, S::kClosed},
      {HoldRow::kH21, {S::kHeld}, {V::kCommit, V::kPermit}, Always, {}},
      {HoldRow::kH22,
       {S::kNone, S::kClosed},
       kCreating,
       [](const HoldGuards& g) { return g.fence_below_floor; },
       {}},
      {HoldRow::kH22,
       {S::kHeld},
       {V::kCommitDirect},
       [](const HoldGuards& g) { return g.fence_below_floor; },
       {}},
  };
  return table;
}

HoldGuards GuardsOf(unsigned bits) {
  auto bit = [&](unsigned n) { return (bits >> n & 1) != 0; };
  return {.fence_below_floor = bit(0),
          .within_caps = bit(1),
          .feasible = bit(2),
          .one_member = bit(3),
          .lease_alive = bit(4),
          .before_deadline = bit(5),
          .start_passed = bit(6),
          .started = bit(7),
          .same_start_fits = bit(8),
          .later_start_fits = bit(9),
          .not_before_earliest = bit(10),
          .unless_started = bit(11)};
}
constexpr unsigned kGuardCombinations = 1u << 12;

template <class Visit>
void ForAll(Visit visit) {
  for (S state : kAll) {
    for (int e = 0; e <= static_cast<int>(kLastHoldEvent); ++e) {
      for (unsigned bits = 0; bits < kGuardCombinations; ++bits) {
        visit(state, static_cast<V>(e), GuardsOf(bits));
      }
    }
  }
}

TEST(HoldTable, TakesForEveryPairTheOneListedRowElseH20) {
  ForAll([](S state, V event, const HoldGuards& guards) {
    const Listed* match = nullptr;
    for (const Listed& row : Table()) {
      if (!row.states.contains(state) || !row.events.contains(event)) continue;
      if (!row.guard(guards)) continue;
      ASSERT_EQ(match, nullptr) << "two rows: " << ToText(match->row) << " " << ToText(row.row);
      match = &row;
    }
    const HoldStep step = NextHold(state, event, guards);
    ASSERT_EQ(step.row, match ? match->row : HoldRow::kH20)
        << "state " << int(state) << " event " << int(event);
    ASSERT_EQ(step.next, match && match->next ? *match->next : state);
  });
}

TEST(HoldTable, NeverLeavesClosedAndNeverGoesBack) {
  ForAll([](S state, V event, const HoldGuards& guards) {
    const HoldStep step = NextHold(state, event, guards);
    ASSERT_GE(static_cast<int>(step.next), static_cast<int>(state));
  });
}

TEST(HoldTable, WritesWheneverTheStateChangesAndAnswersOnlyWhatChangesNothing) {
  ForAll([](S state, V event, const HoldGuards& guards) {
    const HoldStep step = NextHold(state, event, guards);
    const HoldEffects& e = step.effects;
    if (step.next != state) {
      ASSERT_TRUE(e.write);
    }
    ASSERT_EQ(e.write, !(e.countered || e.unknown || e.stale || e.present)) << ToText(step.row);
    if (e.close || e.tombstone) {
      ASSERT_EQ(step.next, S::kClosed);
      ASSERT_NE(step.closed_as, ClosedAs::kNotClosed);
    }
  });
}

TEST(HoldTable, StartsNothingWithoutAPermit) {
  ForAll([](S state, V event, const HoldGuards& guards) {
    const HoldStep step = NextHold(state, event, guards);
    if (state != S::kPermitted && step.next == S::kPermitted) {
      ASSERT_EQ(step.row, HoldRow::kH10);
      ASSERT_EQ(event, V::kPermit);
      ASSERT_TRUE(guards.before_deadline);
    }
  });
}

TEST(HoldTable, ClosesTheReplacedHoldInTheWriteThatCommits) {
  ForAll([](S state, V event, const HoldGuards& guards) {
    const HoldStep step = NextHold(state, event, guards);
    const bool commits =
        state < S::kCommitted && (step.next == S::kCommitted || step.next == S::kPermitted);
    ASSERT_EQ(step.effects.close_replaced, commits) << ToText(step.row);
  });
}

TEST(HoldTable, ASiteDropsAloneOnlyByTheFourRowsThatSaySo) {
  const std::set<HoldRow> allowed = {HoldRow::kH8, HoldRow::kH11, HoldRow::kH16, HoldRow::kH18,
                                     HoldRow::kH19};
  ForAll([&](S state, V event, const HoldGuards& guards) {
    const HoldStep step = NextHold(state, event, guards);
    if (event != V::kRelease && step.next == S::kClosed && state != S::kClosed) {
      ASSERT_TRUE(allowed.contains(step.row)) << ToText(step.row);
    }
  });
}

TEST(HoldTable, AsksThePlannerOnlyWhereTheAnswerMatters) {
  HoldGuards ok{.one_member = true};
  EXPECT_TRUE(NeedsPlanning(S::kNone, V::kHoldHeld, ok));
  EXPECT_TRUE(NeedsPlanning(S::kHeld, V::kCommitDirect, ok));
  EXPECT_FALSE(NeedsPlanning(S::kHeld, V::kHoldHeld, ok));
  EXPECT_FALSE(NeedsPlanning(S::kNone, V::kHoldHeld, {.within_caps = false}));
  EXPECT_FALSE(NeedsPlanning(S::kNone, V::kHoldHeld, {.fence_below_floor = true}));
  EXPECT_FALSE(NeedsPlanning(S::kNone, V::kRelease, ok));
}

TEST(HoldTable, ALatePermitOfOneMemberMovesTheStartInTheSameTurn) {
  const HoldGuards late{.one_member = true, .before_deadline = true, .start_passed = true};
  EXPECT_TRUE(NextHold(S::kCommitted, V::kPermit, late).effects.start_later);
  HoldGuards several = late;
  several.one_member = false;
  EXPECT_FALSE(NextHold(S::kCommitted, V::kPermit, several).effects.start_later);
}

}  // namespace
}  // namespace muster::verifier::hold_table_test
