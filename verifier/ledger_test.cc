// The ledger: its batches rebuild it, its garbage rule, its counters. protocol.md sections 1, 7.6,
// G5, G7.
#include "verifier/ledger.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "schemas/limits.h"

namespace muster::verifier {
namespace {

using schemas::HoldState;

// A store in memory that takes batches as a shell does.
class Batches {
 public:
  void Take(Ledger& ledger) {
    for (auto& write : ledger.TakeWrites()) {
      if (write.value) {
        rows_[write.key] = *write.value;
      } else {
        rows_.erase(write.key);
      }
    }
  }
  std::vector<std::pair<std::string, schemas::SiteRecord>> Rows() const {
    return {rows_.begin(), rows_.end()};
  }
  bool Has(const std::string& key) const { return rows_.contains(key); }

 private:
  std::map<std::string, schemas::SiteRecord> rows_;
};

Ledger NewLedger() { return *Ledger::Load("campus", "lakes", {}); }

Fence F(uint64_t number) { return {{1}, number}; }

void Add(Ledger& ledger, uint64_t number, HoldState state, const std::string& user = "kim") {
  ledger.Create(F(number)).order.requester.user = user;
  ledger.SetState(F(number), state);
  ledger.Report(F(number), schemas::HoldChanged{.state = state});
}

TEST(Ledger, KeysSortAsTheirNumbers) {
  EXPECT_LT(HoldKey({{1}, 9}), HoldKey({{1}, 10}));
  EXPECT_LT(HoldKey({{2}, 900}), HoldKey({{16}, 1}));
  EXPECT_EQ(ChangeKey({255}), "change/00000000000000ff");
}

TEST(Ledger, AQuietTurnWritesNothing) {
  Ledger ledger = NewLedger();
  EXPECT_TRUE(ledger.TakeWrites().empty());
  ledger.RaiseFloor(F(9));
  EXPECT_TRUE(ledger.TakeWrites().empty()) << "a floor alone costs no sync";
}

TEST(Ledger, OneTurnIsOneBatchWithEachRecordOnce) {
  Ledger ledger = NewLedger();
  Add(ledger, 1, HoldState::kHeld);
  ledger.SetState(F(1), HoldState::kPrepared);
  ledger.Report(F(1), schemas::HoldChanged{.state = HoldState::kPrepared});
  const auto writes = ledger.TakeWrites();
  ASSERT_EQ(writes.size(), 4u);
  EXPECT_EQ(writes[0].key, kSiteKey);
  EXPECT_EQ(writes[1].key, HoldKey(F(1)));
  EXPECT_EQ(writes[2].key, ChangeKey({1}));
  EXPECT_EQ(writes[3].key, ChangeKey({2}));
}

TEST(Ledger, DeletesAClosedHoldOnlyBelowTheFloorAndOnceAcknowledged) {
  Ledger ledger = NewLedger();
  Add(ledger, 1, HoldState::kClosed);
  Add(ledger, 2, HoldState::kClosed);
  EXPECT_TRUE(ledger.Collect(10).empty());
  ledger.Acknowledge({1});
  EXPECT_TRUE(ledger.Collect(10).empty()) << "the floor has not passed it";
  ledger.RaiseFloor(F(3));
  const auto collected = ledger.Collect(10);
  ASSERT_EQ(collected.size(), 1u);
  EXPECT_EQ(collected[0].order.fence, F(1));
  EXPECT_NE(ledger.Find(F(2)), nullptr) << "its closing is not acknowledged";
}

TEST(Ledger, TheFloorIsDurableWithTheFirstDeletionThatRestsOnIt) {
  Ledger ledger = NewLedger();
  Batches store;
  Add(ledger, 1, HoldState::kClosed);
  store.Take(ledger);
  ledger.Acknowledge({1});
  ledger.RaiseFloor(F(5));
  ASSERT_EQ(ledger.Collect(10).size(), 1u);
  store.Take(ledger);
  EXPECT_FALSE(store.Has(HoldKey(F(1))));
  const auto again = Ledger::Load("campus", "lakes", store.Rows());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->identity().floor, F(5));
}

TEST(Ledger, CountsLiveAndHeldPerUserThroughAnyLife) {
  Ledger ledger = NewLedger();
  Add(ledger, 1, HoldState::kHeld, "kim");
  Add(ledger, 2, HoldState::kHeld, "lee");
  Add(ledger, 3, HoldState::kPrepared, "kim");
  EXPECT_EQ(ledger.live(), 3u);
  EXPECT_EQ(ledger.held(), 2u);
  EXPECT_EQ(ledger.HeldBy("kim"), 1u);
  EXPECT_EQ(ledger.HeldHolds(), (std::vector<Fence>{F(1), F(2)}));
  ledger.SetState(F(1), HoldState::kPrepared);
  ledger.SetState(F(2), HoldState::kClosed);
  EXPECT_EQ(ledger.live(), 2u);
  EXPECT_EQ(ledger.held(), 0u);
  EXPECT_EQ(ledger.HeldBy("kim"), 0u);
  EXPECT_TRUE(ledger.HeldHolds().empty());
}

TEST(Ledger, IsRebuiltFromItsBatchesAfterAnyRunOfChanges) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Ledger ledger = NewLedger();
    Batches store;
    ledger.CountIncarnation();
    for (int turn = 0; turn < 60; ++turn) {
      for (uint64_t k = random.Below(4); k > 0; --k) {
        const Fence fence = F(1 + random.Below(30));
        const schemas::HoldRecord* record = ledger.Find(fence);
        if (record == nullptr) {
          if (fence >= ledger.identity().floor) Add(ledger, fence.number, HoldState::kHeld);
        } else if (record->state < HoldState::kClosed) {
          const auto next = static_cast<HoldState>(static_cast<int>(record->state) + 1);
          ledger.SetState(fence, next);
          ledger.Report(fence, schemas::HoldChanged{.state = next});
        }
      }
      if (random.Chance(300))
        ledger.Acknowledge({random.Below(ledger.feed().end().revision.value + 1)});
      if (random.Chance(100)) ledger.RaiseFloor(F(random.Below(20)));
      ledger.Collect(random.Below(5));
      store.Take(ledger);
      const auto again = Ledger::Load("campus", "lakes", store.Rows());
      ASSERT_TRUE(again.ok()) << again.status() << " seed " << seed << " turn " << turn;
      ASSERT_EQ(again->StateDigest(), ledger.StateDigest()) << "seed " << seed << " turn " << turn;
      ASSERT_EQ(again->live(), ledger.live());
      ASSERT_EQ(again->HeldHolds(), ledger.HeldHolds());
      const Revision from = ledger.feed().acknowledged();
      ASSERT_EQ(again->feed().ReportAfter(from), ledger.feed().ReportAfter(from));
    }
  }
}

TEST(Ledger, TheDigestLeavesOutTheIncarnationAndNothingElse) {
  Ledger a = NewLedger();
  Ledger b = NewLedger();
  a.CountIncarnation();
  a.TakeWrites();
  EXPECT_EQ(a.StateDigest(), b.StateDigest());
  b.SetEpoch({4});
  b.TakeWrites();
  EXPECT_NE(a.StateDigest(), b.StateDigest());
}

TEST(Ledger, RefusesAStoreOfAnotherSiteAndRecordsUnderForeignKeys) {
  Ledger ledger = NewLedger();
  Add(ledger, 1, HoldState::kHeld);
  Batches store;
  store.Take(ledger);
  EXPECT_FALSE(Ledger::Load("campus", "woods", store.Rows()).ok());
  EXPECT_FALSE(Ledger::Load("other", "lakes", store.Rows()).ok());
  auto rows = store.Rows();
  for (auto& [key, record] : rows) {
    if (key == HoldKey(F(1))) key = HoldKey(F(2));
  }
  EXPECT_FALSE(Ledger::Load("campus", "lakes", rows).ok());
}

TEST(Ledger, UseIsWrittenWithTheTurnThatCountsItAndComesBackFromTheStore) {
  Ledger ledger = NewLedger();
  Batches store;
  Add(ledger, 1, HoldState::kHeld);
  ledger.EditUse().Add("kim", Instant{3600}, 40);
  ledger.EditUse().Add("kim", Instant{3600}, 2);
  store.Take(ledger);
  EXPECT_TRUE(store.Has(UseKey(Instant{3600}, "kim")));
  const Ledger again = *Ledger::Load("campus", "lakes", store.Rows());
  EXPECT_EQ(again.use().Of("kim", {Instant{3600}}), std::vector<int64_t>{42});
  EXPECT_EQ(again.StateDigest(), ledger.StateDigest());
  EXPECT_NE(again.StateDigest(), NewLedger().StateDigest());
  auto rows = store.Rows();
  rows.emplace_back(UseKey(Instant{0}, "ana"), schemas::UseRecord{.window = {0}, .who = "kim"});
  EXPECT_FALSE(Ledger::Load("campus", "lakes", rows).ok()) << "under a foreign key";
  ledger.EditUse().ForgetBefore(Instant{7200});
  store.Take(ledger);
  EXPECT_FALSE(store.Has(UseKey(Instant{3600}, "kim")));
}

TEST(Ledger, DrainsAndOrdersDoneComeBackFromTheStoreAndOnlyTheLastOrdersAreKept) {
  Ledger ledger = *Ledger::Load("campus", "lakes", {});
  ledger.CountIncarnation();
  ledger.Drain({.name = "n1", .reason = "fan", .who = "user:ana"});
  ledger.Drain({.name = "n2", .reason = "fan", .who = "user:ana"});
  for (uint64_t order = 1; order <= schemas::kSteersKept + 1; ++order) {
    ledger.KeepSteer({.order = order, .done = true});
  }
  ledger.ReportSteered({.order = 1, .done = true});
  std::map<std::string, schemas::SiteRecord> store;
  for (auto& write : ledger.TakeWrites()) {
    if (write.value) store[write.key] = *write.value;
  }
  ledger.Resume("n2");
  for (auto& write : ledger.TakeWrites()) {
    EXPECT_TRUE(write.value.has_value() || write.key == NodeKey("n2"));
    if (!write.value) store.erase(write.key);
  }
  const Ledger again = *Ledger::Load("campus", "lakes", {store.begin(), store.end()});
  EXPECT_EQ(again.StateDigest(), ledger.StateDigest());
  EXPECT_EQ(again.drained().size(), 1u);
  EXPECT_EQ(again.FindSteer(1), nullptr);
  EXPECT_NE(again.FindSteer(schemas::kSteersKept + 1), nullptr);
  EXPECT_EQ(again.feed().end().revision.value, 1u);
}

}  // namespace
}  // namespace muster::verifier
