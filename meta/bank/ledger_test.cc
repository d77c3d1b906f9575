// What may be set aside, what is drawn first, what ends, and that nothing is posted twice or in
// half. Maui Sect. III (Allocation Manager Interface); scheduling.md section 14.
#include "meta/bank/ledger.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "meta/bank/draws.h"

namespace muster::meta {
namespace {

constexpr Instant kNow{1'800'000'000};
constexpr RequestId kJob{7};

class LedgerTest : public ::testing::Test {
 protected:
  Order By(const std::string& key) { return {.key = key, .by = "ops", .note = "", .at = now_}; }
  void Grants(const std::string& account, int64_t amount, std::optional<Instant> until = {},
              Instant from = kNow) {
    ASSERT_TRUE(
        ledger_.Deposit(By("d" + std::to_string(++keys_)), account, amount, from, until).ok());
    ledger_.Advance(now_);
  }
  void Pass(Span span) {
    now_.milliseconds += span.seconds * 1000;
    ledger_.Advance(now_);
  }
  int64_t Free(const std::string& account, RequestId apart = {}) {
    return ledger_.Free(account, now_.Floor(), apart);
  }
  int64_t Balance(const std::string& account) {
    const auto it = ledger_.accounts().find(account);
    return it == ledger_.accounts().end() ? 0 : it->second.balance;
  }
  void HasLien(RequestId job, int64_t amount, const std::string& account = "chem") {
    const schemas::Lien lien{.account = account, .taken = now_, .parts = {amount}};
    ledger_.SetLien(job, &lien);
  }
  void ExpectBalanced() {
    int64_t sum = 0;
    for (const auto& [name, account] : ledger_.accounts()) {
      sum += account.balance;
      for (const auto& allocation : account.allocations) EXPECT_GT(allocation.left, 0) << name;
    }
    EXPECT_EQ(sum, 0);
    for (const auto& [number, entry] : ledger_.entries()) {
      int64_t posted = 0;
      for (const auto& posting : entry.postings) posted += posting.amount;
      EXPECT_EQ(posted, 0) << number;
    }
  }

  Ledger ledger_;
  Moment now_ = ToMoment(kNow);
  int keys_ = 0;
};

TEST_F(LedgerTest, WhatIsSetAsideAndWhatIsWantedCannotBeSetAsideAgain) {
  Grants("chem", 20);
  HasLien(kJob, 5);
  EXPECT_EQ(Free("chem"), 15);
  EXPECT_EQ(Free("chem", kJob), 20) << "the request's own";
  ledger_.Want(kJob, "chem", 8, now_);
  EXPECT_EQ(Free("chem"), 12) << "of both the larger one";
  ledger_.Want(RequestId{8}, "chem", 12, now_);
  EXPECT_EQ(Free("chem"), 0);
  ledger_.Unwant(kJob);
  EXPECT_EQ(Free("chem"), 3);
  EXPECT_EQ(ledger_.TakeEased(), std::set<std::string>{"chem"});
  ledger_.SetLien(kJob, nullptr);
  EXPECT_EQ(Free("chem"), 8);
  EXPECT_EQ(Free("bio"), 0) << "an account that never had anything";
}

TEST_F(LedgerTest, AnAllocationThatEndsFirstIsDrawnFirstAndWhatIsLeftOfItGoes) {
  Grants("chem", 10);
  Grants("chem", 10, kNow + Span{100});
  ledger_.Charge(By("c"), "chem", "lakes", 4, kJob);
  EXPECT_EQ(Balance("site:lakes"), 4);
  EXPECT_EQ(Free("chem"), 16);
  Pass(Span{100});
  EXPECT_EQ(Free("chem"), 10) << "6 of the second had nobody";
  EXPECT_EQ(Balance("bank"), -14);
  ExpectBalanced();
}

TEST_F(LedgerTest, ALienKeepsAliveWhatItWasDrawnFrom) {
  Grants("chem", 10, kNow + Span{100});
  HasLien(kJob, 7);
  Pass(Span{100});
  EXPECT_EQ(Free("chem"), 0) << "3 are gone, 7 are kept";
  HasLien(RequestId{8}, 1);
  Pass(Span{1});
  EXPECT_EQ(Free("chem"), -1) << "what was set aside later keeps nothing";
  ledger_.SetLien(RequestId{8}, nullptr);
  ledger_.Charge(By("c"), "chem", "lakes", 5, kJob);
  HasLien(kJob, 0);
  EXPECT_TRUE(ledger_.NextDue().has_value());
  Pass(Span{0});
  EXPECT_EQ(Balance("chem"), 0) << "2 were kept for nothing";
  ExpectBalanced();
}

TEST_F(LedgerTest, WhatIsOwedIsPaidByTheNextAllocationAndWakesWhoWaits) {
  Grants("chem", 5);
  Grants("chem", 50, std::nullopt, kNow + Span{60});
  ledger_.Charge(By("c"), "chem", "lakes", 9, kJob);
  EXPECT_EQ(Free("chem"), -4);
  EXPECT_EQ(ledger_.NextBegin("chem", kNow), kNow + Span{60});
  EXPECT_EQ(ledger_.NextDue(), kNow + Span{60});
  ledger_.TakeEased();
  Pass(Span{60});
  EXPECT_EQ(Free("chem"), 46);
  EXPECT_EQ(ledger_.TakeEased(), std::set<std::string>{"chem"});
  ExpectBalanced();
}

TEST_F(LedgerTest, ATransferHandsOnWhatIsFreeWithItsEnd) {
  Grants("chem", 10, kNow + Span{100});
  Grants("chem", 10);
  HasLien(kJob, 5);
  const auto more = ledger_.Transfer(By("t"), "chem", "bio", 16, 0);
  EXPECT_EQ(more.status().message(), "chem has 0.000015 to give, not 0.000016");
  ASSERT_TRUE(ledger_.Transfer(By("t"), "chem", "bio", 15, 0).ok());
  EXPECT_EQ(Free("bio"), 15);
  Pass(Span{100});
  EXPECT_EQ(Free("bio"), 5) << "10 of it had that end";
  EXPECT_EQ(Free("chem"), 0);
  ExpectBalanced();
}

TEST_F(LedgerTest, ATransferLeavesWhatIsKeptOfAnAllocationThatHasEnded) {
  Grants("chem", 50, kNow + Span{100});
  Grants("chem", 100);
  HasLien(kJob, 50);
  Pass(Span{100});
  ASSERT_TRUE(ledger_.Transfer(By("t"), "chem", "bio", 100, 0).ok());
  Pass(Span{1});
  EXPECT_EQ(Free("bio"), 100);
  EXPECT_EQ(Free("chem", kJob), 50);
  ExpectBalanced();
}

TEST_F(LedgerTest, ADepositMayBeRepeatedAfterItsEnd) {
  const auto first = ledger_.Deposit(By("k"), "chem", 10, kNow, kNow + Span{10});
  Pass(Span{20});
  EXPECT_EQ(*first, *ledger_.Deposit(By("k"), "chem", 10, kNow, kNow + Span{10}));
  EXPECT_EQ(Balance("chem"), 0);
}

TEST_F(LedgerTest, WhatIsSoughtKeepsWhatItWasSetAsideOf) {
  Grants("chem", 10, kNow + Span{100});
  ledger_.Want(kJob, "chem", 7, now_);
  Pass(Span{100});
  EXPECT_EQ(Free("chem", kJob), 7);
  ledger_.Unwant(kJob);
  Pass(Span{1});
  EXPECT_EQ(Free("chem"), 0);
}

TEST_F(LedgerTest, WhatIsSoughtOnlyAfterAnEndKeepsNothing) {
  Grants("chem", 10, kNow + Span{100});
  HasLien(kJob, 7);
  Pass(Span{100});
  ledger_.SetLien(kJob, nullptr);
  ledger_.Want(RequestId{8}, "chem", 7, now_);
  Pass(Span{1});
  EXPECT_EQ(Balance("chem"), 0);
  ExpectBalanced();
}

TEST_F(LedgerTest, WhatIsSoughtOnIsSoughtSinceItsBeginUnlessItIsMore) {
  Grants("chem", 10, kNow + Span{100});
  ledger_.Want(kJob, "chem", 7, now_);
  Pass(Span{100});
  ledger_.Want(kJob, "chem", 6, now_);
  Pass(Span{1});
  EXPECT_EQ(Balance("chem"), 6);
  ledger_.Want(kJob, "chem", 8, now_);
  Pass(Span{1});
  EXPECT_EQ(Balance("chem"), 0);
}

TEST_F(LedgerTest, AKeyPostsOnceAndIsRefusedForAnythingElse) {
  const auto first = ledger_.Deposit(By("k"), "chem", 10, kNow, {});
  const auto again = ledger_.Deposit(By("k"), "chem", 10, kNow, {});
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(Balance("chem"), 10);
  EXPECT_FALSE(ledger_.Deposit(By("k"), "chem", 11, kNow, {}).ok());
  EXPECT_FALSE(ledger_.Adjust(By("k"), "chem", 10, 0).ok());
  EXPECT_EQ(Balance("chem"), 10);
  ledger_.Charge(By("c"), "chem", "lakes", 3, kJob);
  ledger_.Charge(By("c"), "chem", "lakes", 3, kJob);
  EXPECT_EQ(Balance("chem"), 7);
  EXPECT_EQ(ledger_.entries().size(), 2u);
}

TEST_F(LedgerTest, WhatMeansNothingIsRefusedAndPostsNothing) {
  Grants("chem", 10);
  EXPECT_FALSE(ledger_.Deposit(By("a"), "chem", -1, kNow, {}).ok());
  EXPECT_FALSE(ledger_.Deposit(By("a"), "chem", 0, kNow, {}).ok());
  EXPECT_FALSE(ledger_.Deposit(By("a"), "chem", 1, kNow, kNow).ok());
  EXPECT_FALSE(ledger_.Deposit(By("a"), "chem", INT64_MAX, kNow, {}).ok());
  EXPECT_FALSE(ledger_.Transfer(By("a"), "chem", "chem", 1, 0).ok());
  EXPECT_FALSE(ledger_.Transfer(By("a"), "chem", "bio", -1, 0).ok());
  EXPECT_FALSE(ledger_.Transfer(By("a"), "bio", "chem", 1, 0).ok());
  EXPECT_FALSE(ledger_.Adjust(By("a"), "chem", 0, 0).ok());
  EXPECT_FALSE(ledger_.Adjust(By("a"), "chem", -11, 0).ok());
  EXPECT_FALSE(ledger_.Adjust(By("a"), "chem", INT64_MIN, 0).ok());
  EXPECT_EQ(ledger_.entries().size(), 1u);
  EXPECT_TRUE(ledger_.Adjust(By("a"), "chem", -11, -1).ok()) << "into an overdraft of 1";
  EXPECT_EQ(Free("chem"), -1);
  ExpectBalanced();
}

TEST_F(LedgerTest, TheOldestEntriesAreForgottenBeyondTheLimitAndBalancesStay) {
  Grants("chem", 1'000'000);
  for (size_t i = 0; i < kEntriesKept + 10; ++i) {
    ledger_.Charge(By("c" + std::to_string(i)), "chem", "lakes", 1, kJob);
  }
  EXPECT_EQ(ledger_.entries().size(), kEntriesKept);
  EXPECT_EQ(Balance("site:lakes"), static_cast<int64_t>(kEntriesKept + 10));
  ExpectBalanced();
}

// The same operations on a ledger that was loaded from what was written after each step.
TEST_F(LedgerTest, ALoadedLedgerGoesOnAsTheOneThatWroteIt) {
  Random random(5);
  std::map<std::string, schemas::MetaRecord> store;
  std::map<RequestId, schemas::Lien> liens;
  for (int step = 0; step < 400; ++step) {
    Ledger loaded;
    for (const auto& [key, record] : store) {
      if (const auto* account = std::get_if<schemas::AccountRecord>(&record)) {
        loaded.Restore(*account);
      } else {
        loaded.Restore(std::get<schemas::EntryRecord>(record));
      }
    }
    for (const auto& [id, lien] : liens) loaded.SetLien(id, &lien);
    const std::string account = random.Below(2) == 0 ? "chem" : "bio";
    const RequestId job{1 + random.Below(5)};
    const auto amount = static_cast<int64_t>(random.Below(30));
    const uint64_t what = random.Below(6);
    const Order order = By("s" + std::to_string(step));
    for (Ledger* ledger : {&ledger_, &loaded}) {
      switch (what) {
        case 0:
          (void)ledger->Deposit(
              order, account, amount, now_.Floor() + Span{amount % 7},
              amount % 3 == 0 ? std::nullopt : std::optional(now_.Floor() + Span{10 + amount}));
          break;
        case 1:
          (void)ledger->Transfer(order, account, account == "chem" ? "bio" : "chem", amount, 0);
          break;
        case 2:
          (void)ledger->Adjust(order, account, amount - 15, -5);
          break;
        case 3:
          ledger->Charge(order, account, "lakes", amount, job);
          break;
        default: {
          liens[job] = {.account = account, .taken = now_, .parts = {amount}};
          ledger->SetLien(job, &liens[job]);
        }
      }
      ledger->Advance(now_);
    }
    std::vector<schemas::Write<schemas::MetaRecord>> writes, others;
    ledger_.TakeWrites(writes);
    loaded.TakeWrites(others);
    ASSERT_EQ(ledger_.accounts(), loaded.accounts()) << "step " << step;
    ASSERT_EQ(ledger_.entries(), loaded.entries()) << "step " << step;
    EXPECT_EQ(Free("chem"), loaded.Free("chem", now_.Floor()));
    for (const auto& write : writes) store.insert_or_assign(write.key, *write.value);
    ExpectBalanced();
    now_.milliseconds += static_cast<int64_t>(random.Below(5)) * 1000;
  }
}

}  // namespace
}  // namespace muster::meta
