// Where a request is sought whose account can pay for it at some of its sites only. scheduling.md
// section 14.
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
