// Where a request is sought whose account can pay for it at some of its sites only. scheduling.md
// section 14.
#include <set>
#include <string>

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using policy::kCredit;
using schemas::ReasonCode;

// A credit an hour for a processor, twice that at hills, where kim is at home. Chem has 5 credits.
class PaidSites : public MetaCore {
 protected:
  explicit PaidSites(std::optional<Span> threshold = {}) {
    options_.bank = policy::BankRules{.rates = {{"ncpus", kCredit, 1}}};
    options_.credentials.accounts = {{.name = "chem", .owners = {"*"}}};
    options_.terms["hills"].charge = 2000;
    options_.users[0].home = "hills";
    options_.threshold = threshold;
    Start();
    DialAll();
    Acted("root", {.verb = schemas::ActVerb::kPost,
                   .posting = schemas::PostingOrder{.kind = schemas::EntryKind::kDeposit,
                                                    .account = "chem",
                                                    .amount = 5 * kCredit,
                                                    .key = "grant"}});
  }

  // Costs 4 credits, at hills 8.
  static schemas::RequestSpec FourHours(std::vector<std::string> sites = {}) {
    schemas::RequestSpec spec = Spec({std::move(sites)}, 4);
    spec.duration = Span{3600};
    spec.account = "chem";
    return spec;
  }
  std::string SiteOf(RequestId id) { return Job(id).parts[0].site.value_or(""); }
};

TEST_F(PaidSites, GoesWhereItsAccountCanPayForItEvenIfItIsAtHomeElsewhere) {
  const RequestId id = Submit(FourHours());
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(SiteOf(id), "lakes");
}

TEST_F(PaidSites, WaitsForALaterStartThatItCanPayRatherThanForCredit) {
  Of("lakes").not_before = Instant{kBegin + 5000};
  const RequestId id = Submit(FourHours({"hills", "lakes"}));
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(SiteOf(id), "lakes");
}

TEST_F(PaidSites, WaitsForCreditWhereNoSiteCanBePaid) {
  schemas::RequestSpec spec = FourHours();
  spec.duration = Span{7200};
  const RequestId id = Submit(spec);
  EXPECT_EQ(Record(id).state, RequestState::kWaiting);
  ASSERT_TRUE(Record(id).reason.has_value());
  EXPECT_EQ(Record(id).reason->code, ReasonCode::kCredit);
  EXPECT_EQ(Record(id).reason->text, "account chem has 5 of 8 credits");
}

TEST_F(PaidSites, GoesHomeWhereBothCanBePaid) {
  schemas::RequestSpec spec = FourHours();
  spec.duration = Span{1800};
  EXPECT_EQ(SiteOf(Submit(spec)), "hills");
}

// Two parts of two processors at sites of their own: 2 credits each for an hour, 4 at hills.
class PaidPairs : public PaidSites {
 protected:
  static schemas::RequestSpec Pair() {
    schemas::RequestSpec spec = Spec({{}, {}}, 2);
    spec.duration = Span{3600};
    spec.account = "chem";
    spec.apart = true;
    return spec;
  }
  std::set<std::string> SitesOf(RequestId id) {
    std::set<std::string> out;
    for (const auto& part : Job(id).parts) out.insert(part.site.value_or(""));
    return out;
  }
  void Grant(int64_t credits) {
    Acted("root", {.verb = schemas::ActVerb::kPost,
                   .posting = schemas::PostingOrder{.kind = schemas::EntryKind::kDeposit,
                                                    .account = "chem",
                                                    .amount = credits * kCredit,
                                                    .key = "more"}});
  }
};

TEST_F(PaidPairs, GoWhereTheyCanBePaidTogether) {
  const RequestId id = Submit(Pair());
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(SitesOf(id), (std::set<std::string>{"lakes", "woods"}));
}

TEST_F(PaidPairs, GoHomeWhereAllCanBePaid) {
  Grant(2);
  EXPECT_TRUE(SitesOf(Submit(Pair())).contains("hills"));
}

// A pair that costs 7 now, and 5 or 6 when lakes has room; with what is booked after a part for its
// partners a little more.
class PricedPairs : public PaidPairs {
 protected:
  PricedPairs() {
    options_.terms["woods"].charge = 1500;
    Start();
    DialAll();
    Of("lakes").not_before = Instant{kBegin + 6000};
  }
};

TEST_F(PricedPairs, WaitForALaterStartThatTheyCanPayRatherThanForCredit) {
  Grant(1);
  const RequestId id = Submit(Pair());
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_TRUE(SitesOf(id).contains("lakes"));
  EXPECT_LE(Record(id).lien->Open(), 6 * kCredit);
}

TEST_F(PricedPairs, WaitForCreditWhereNothingCheaperIsLeft) {
  Grant(1);
  schemas::RequestSpec spec = Pair();
  spec.parts[0].not_sites = spec.parts[1].not_sites = {"lakes"};
  const RequestId id = Submit(spec);
  EXPECT_EQ(Record(id).state, RequestState::kWaiting);
  ASSERT_TRUE(Record(id).reason.has_value());
  EXPECT_EQ(Record(id).reason->code, ReasonCode::kCredit);
  EXPECT_EQ(Record(id).reason->text, "account chem has 6 of 7.175 credits");
  Acted("root", {.verb = schemas::ActVerb::kPost,
                 .posting = schemas::PostingOrder{.kind = schemas::EntryKind::kDeposit,
                                                  .account = "chem",
                                                  .amount = 2 * kCredit,
                                                  .key = "last"}});
  for (int second = 0; second < 5; ++second) Advance(1000);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

class PaidSitesInBlocks : public PaidSites {
 protected:
  PaidSitesInBlocks() : PaidSites(Span{600}) {}
  // The site has no room for half an hour: whoever wants to be there waits for a block.
  void Fill(const std::string& site) {
    schemas::RequestSpec wall = Spec({{site}}, 4);
    wall.parts[0].chunks[0].count = 4;
    wall.duration = Span{60};
    wall.account = "chem";
    Submit(wall);
    Of(site).not_before = Instant{kBegin + 2000};
  }
  // At the price of lakes; it may have moved to an earlier start since, which costs no more.
  void ExpectPromisedAtLakes(RequestId id) {
    for (int second = 0; second < 30; ++second) Advance(1000);
    EXPECT_EQ(Record(id).state, RequestState::kPromised);
    ASSERT_TRUE(Record(id).lien.has_value());
    EXPECT_EQ(Record(id).lien->Open(), 4 * kCredit);
  }
};

TEST_F(PaidSitesInBlocks, AGapThatCannotBePaidIsLeftForOneThatCan) {
  const RequestId id = Submit(FourHours());
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(SiteOf(id), "lakes");
}

TEST_F(PaidSitesInBlocks, ABlockPlacesItWhereItCanBePaid) {
  Fill("hills");
  Fill("lakes");
  ExpectPromisedAtLakes(Submit(FourHours({"hills", "lakes"})));
}

TEST_F(PaidSitesInBlocks, AGapThatCannotBePaidDoesNotKeepItFromABlock) {
  Fill("lakes");
  ExpectPromisedAtLakes(Submit(FourHours({"hills", "lakes"})));
}

}  // namespace
}  // namespace muster::meta
