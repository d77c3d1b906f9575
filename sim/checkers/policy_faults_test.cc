// The checkers of credits, of limits over all sites and of shares of a site complain about faults
// planted by hand, and are silent without them.
#include <gtest/gtest.h>

#include "policy/rates.h"
#include "sim/checkers/checker.h"

namespace muster::sim::policy_faults_test {
namespace {

using policy::kCredit;
using schemas::AttemptRecord;
using schemas::EntryKind;
using schemas::EntryRecord;
using schemas::HoldRecord;
using schemas::RequestRecord;

constexpr Moment kNow{1'000'000};
constexpr Fence kFence{{1}, 1};
constexpr char kKey[] = "charge/lakes/0000000000000001.0000000000000001/1";

MetaWrites And(MetaWrites first, const MetaWrites& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Account chem was granted 100 credits; a job of it has 8 set aside, and ran with 4 processors for
// an hour, at a credit an hour.
class CreditsFaults : public ::testing::Test {
 protected:
  CreditsFaults() {
    CheckedWorld world;
    world.bank = CheckedWorld::Bank{.rate = kCredit, .overdrafts = {{"chem", 0}}};
    checker_ = CheckCredits(world);
    Write(And(Entry(EntryKind::kDeposit, "d", 100, "bank", -100), Account("chem", 100)));
    job_.id = {1};
    job_.attempt = kFence;
    job_.lien = schemas::Lien{.account = "chem", .parts = {8 * kCredit}};
    Write(And(Job(),
              {{"attempt/x", schemas::MetaRecord{AttemptRecord{
                                 .fence = kFence, .request = {1}, .part_sites = {"lakes"}}}}}));
    HoldRecord hold;
    hold.order.fence = kFence;
    hold.parts = {{.index = 1, .place = {.index = 1, .chunks = {{"n1", {{"ncpus", 4}}}}}}};
    hold.parts[0].started_at = Moment{0};
    hold.parts[0].ended_at = Moment{3'600'000};
    hold.parts[0].end.by = schemas::EndedBy::kExit;
    hold.parts[0].usage.elapsed = Seconds(3600);
    hold.parts[0].usage_final = true;
    hold_ = hold;
  }
  void Ran() { checker_->OnSiteWrites(kNow, "lakes", {{"hold/x", schemas::SiteRecord{hold_}}}); }

  MetaWrites Entry(EntryKind kind, const std::string& key, int64_t amount, const std::string& with,
                   int64_t other) {
    EntryRecord entry{.number = ++entries_, .at = kNow, .key = key, .kind = kind};
    entry.postings = {{"chem", amount * kCredit}, {with, other * kCredit}};
    balances_["chem"] += amount;
    balances_[with] += other;
    if (kind == EntryKind::kCharge) entry.job = RequestId{1};
    return {{"entry/" + std::to_string(entries_), schemas::MetaRecord{entry}}};
  }
  MetaWrites Account(const std::string& name, int64_t balance) {
    schemas::AccountRecord account{.name = name, .balance = balance * kCredit};
    account.allocations = {{.entry = 1, .granted = 100 * kCredit, .left = balance * kCredit}};
    return {{"account/" + name, schemas::MetaRecord{account}}};
  }
  MetaWrites Job() { return {{"request/1", schemas::MetaRecord{job_}}}; }
  // The part is settled for this much, in one batch.
  MetaWrites Settled(int64_t amount) {
    job_.lien->parts = {0};
    job_.lien->settled = {1};
    job_.lien->charged = amount * kCredit;
    return And(Job(), And(Entry(EntryKind::kCharge, kKey, -amount, "site:lakes", amount),
                          Account("chem", 100 - amount)));
  }
  void Write(const MetaWrites& writes) { checker_->OnMetaWrites(kNow, writes); }
  size_t Found() { return checker_->violations().size(); }

  std::unique_ptr<Checker> checker_;
  RequestRecord job_;
  HoldRecord hold_;
  uint64_t entries_ = 0;
  std::map<std::string, int64_t> balances_;
};

TEST_F(CreditsFaults, NoneIsFoundWhereThePartIsChargedOnceForWhatItUsed) {
  Ran();
  Write(Settled(4));
  job_.state = schemas::RequestState::kEnded;
  Write(Job());
  checker_->AtEnd(kNow, true);
  EXPECT_EQ(Found(), 0u);
}
TEST_F(CreditsFaults, AnEntryThatDoesNotAddUp) {
  Write(Entry(EntryKind::kDeposit, "e", 5, "bank", -4));
  EXPECT_GE(Found(), 1u);
}
TEST_F(CreditsFaults, AKeyThatIsUsedTwice) {
  Write(And(Entry(EntryKind::kDeposit, "d", 5, "bank", -5), Account("chem", 105)));
  EXPECT_GE(Found(), 1u);
}
TEST_F(CreditsFaults, ABalanceThatNothingWasPostedFor) {
  Write(Account("chem", 99));
  EXPECT_GE(Found(), 1u);
}
TEST_F(CreditsFaults, MoreSetAsideThanThereIs) {
  job_.lien->parts = {101 * kCredit};
  Write(Job());
  EXPECT_EQ(Found(), 1u);
}
TEST_F(CreditsFaults, AChargeThatIsNotWhatWasUsed) {
  Ran();
  Write(Settled(5));
  EXPECT_EQ(Found(), 1u);
}
TEST_F(CreditsFaults, AChargeOfMoreThanWasSetAside) {
  hold_.parts[0].usage.elapsed = Seconds(4 * 3600);
  Ran();
  Write(Settled(16));
  EXPECT_GE(Found(), 1u);
}
TEST_F(CreditsFaults, ASettlementWhoseChargeComesInABatchOfItsOwn) {
  Ran();
  job_.lien->parts = {0};
  job_.lien->settled = {1};
  Write(Job());
  EXPECT_EQ(Found(), 1u) << "the part used 4 credits and was charged nothing";
}
TEST_F(CreditsFaults, AChargeForWhatTheSiteTookAway) {
  hold_.parts[0].end.by = schemas::EndedBy::kRelease;
  hold_.cause.code = schemas::CauseCode::kNodeLost;
  Ran();
  Write(Settled(4));
  EXPECT_EQ(Found(), 1u);
}
TEST_F(CreditsFaults, ALienOfAnEndedJob) {
  job_.state = schemas::RequestState::kEnded;
  Write(Job());
  checker_->AtEnd(kNow, true);
  EXPECT_EQ(Found(), 1u);
}

// Each user may have one job at a time; job 1 has 100 to 200.
class SpanningFaults : public ::testing::Test {
 protected:
  SpanningFaults() {
    CheckedWorld world;
    world.spanning = {{.resource = "jobs", .items = 1}};
    checker_ = CheckSpanning(world);
    Decide(1, 100);
  }
  void Decide(uint64_t job, int64_t start, const std::string& user = "kim",
              uint32_t replacements = 0) {
    RequestRecord request{.id = {job}, .requester = {.user = user}, .replacements = replacements};
    request.spec.duration = Span{100};
    request.spec.parts.resize(1);
    request.attempt = Fence{{1}, job};
    const AttemptRecord attempt{.fence = Fence{{1}, job},
                                .request = {job},
                                .members = {"lakes"},
                                .part_sites = {"lakes"},
                                .start = Instant{start}};
    const std::string number = std::to_string(job);
    checker_->OnMetaWrites(kNow, {{"request/" + number, schemas::MetaRecord{request}},
                                  {"attempt/" + number, schemas::MetaRecord{attempt}}});
  }
  size_t Found() { return checker_->violations().size(); }

  std::unique_ptr<Checker> checker_;
};

TEST_F(SpanningFaults, NoneIsFoundWhereOneFollowsTheOther) {
  Decide(2, 200);
  Decide(3, 0);
  Decide(4, 150, "ana");
  EXPECT_EQ(Found(), 0u);
}
TEST_F(SpanningFaults, OneThatBeginsWhileTheOtherHasNotEnded) {
  Decide(2, 199);
  EXPECT_EQ(Found(), 1u);
}
TEST_F(SpanningFaults, OneThatHasNotEndedWhenTheOtherBegins) {
  Decide(2, 1);
  EXPECT_EQ(Found(), 1u);
}

// What lost its place has another whatever the limits. Who was being held meanwhile could not know.
TEST_F(SpanningFaults, NoneIsFoundWhereALaterHoldTookTheRoomOfWhatItLost) {
  Decide(9, 399, "kim", 1);
  Decide(5, 400);
  EXPECT_EQ(Found(), 0u);
  Decide(10, 450);
  EXPECT_EQ(Found(), 1u) << "it was sought after both";
}

// A part of kim, of account chem, that had four processors for 90 s at a site that counts.
class SiteSharesFaults : public ::testing::Test {
 protected:
  SiteSharesFaults() {
    site::Options site;
    site.name = "lakes";
    site.fairshare.emplace();
    checker_ = CheckSiteShares({.sites = {site}});
    hold_.order.fence = kFence;
    hold_.order.requester.user = "kim";
    hold_.order.account = "chem";
    hold_.parts = {{.index = 1, .place = {.index = 1, .chunks = {{"n1", {{"ncpus", 4}}}}}}};
    hold_.parts[0].started_at = Moment{0};
    hold_.parts[0].ended_at = Moment{90'000};
    hold_.parts[0].usage.elapsed = Seconds(90);
    hold_.parts[0].usage_final = true;
  }
  void Write(const std::vector<std::pair<std::string, int64_t>>& uses, bool with_hold = true) {
    SiteWrites batch;
    if (with_hold) batch.push_back({"hold/x", schemas::SiteRecord{hold_}});
    for (const auto& [who, amount] : uses) {
      batch.push_back({"use/w/" + who, schemas::SiteRecord{schemas::UseRecord{{0}, who, amount}}});
    }
    checker_->OnSiteWrites(kNow, "lakes", batch);
  }
  size_t Found() const { return checker_->violations().size(); }

  std::unique_ptr<Checker> checker_;
  HoldRecord hold_;
};

TEST_F(SiteSharesFaults, NoneIsFoundWhereThePartCountsInTheBatchOfItsUsage) {
  Write({{"*", 360'000}, {"kim", 360'000}, {"account chem", 360'000}});
  EXPECT_EQ(Found(), 0u);
}
TEST_F(SiteSharesFaults, AUserWhoIsLeftOut) {
  Write({{"*", 360'000}, {"account chem", 360'000}});
  EXPECT_EQ(Found(), 1u);
}
TEST_F(SiteSharesFaults, UseThatComesInALaterBatch) {
  Write({});
  EXPECT_EQ(Found(), 3u);
  Write({{"*", 360'000}}, false);
  EXPECT_EQ(Found(), 4u);
}
TEST_F(SiteSharesFaults, APartThatIsCountedTwice) {
  Write({{"*", 360'000}, {"kim", 360'000}, {"account chem", 360'000}});
  Write({{"kim", 720'000}});
  EXPECT_EQ(Found(), 1u);
}

}  // namespace
}  // namespace muster::sim::policy_faults_test
