// Where a request is sought once a site lends, rather than promises, beyond its balance. Hills
// lends beyond 5 % of a window; kim is at home at lakes, ana at hills.
#include "meta/core_fixture.h"
#include "policy/balance.h"

namespace muster::meta {
namespace {

using schemas::ReasonCode;

class BeyondBalance : public MetaCore {
 protected:
  BeyondBalance() {
    options_.users[0].home = "lakes";
    options_.users[1].home = "hills";
    options_.balance = {.window = Span{3600}, .depth = 3, .decay = 500};
    policy::Qos& filler = options_.credentials.qos.emplace_back();
    filler.name = "filler";
    filler.grant = {"*"};
    filler.promise = policy::PromiseTime::kStart;
    filler.recall.emplace();
    Of("hills").capabilities = {"lends", policy::LendsBeyond(5)};
    Start();
    DialAll();
  }
  // Two processors for ten minutes, which is 2.1 % of what a site has in an hour.
  static schemas::RequestSpec Work(std::vector<std::string> sites) {
    return Spec({std::move(sites)}, 2);
  }
  RequestId SubmitBy(const std::string& user, const schemas::RequestSpec& spec) {
    const schemas::ToClient answer =
        Client(user, schemas::Submit{{.text = "by-" + std::to_string(++keys_)}, spec});
    const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
    EXPECT_TRUE(accepted != nullptr);
    return accepted ? accepted->requests[0] : RequestId{};
  }
  // Kim's work there, until hills has given more than it may; a minute later balances say so.
  void GiveEnough() {
    for (int i = 0; i < 4; ++i) given_.push_back(Submit(Work({"hills"})));
    Advance(61'000);
  }
  std::string SiteOf(RequestId id) {
    const schemas::RequestRecord record = Record(id);
    for (const auto& attempt : core_->Attempts()) {
      if (record.attempt == attempt.fence) return attempt.members[0];
    }
    return "";
  }
  std::vector<RequestId> given_;
};

TEST_F(BeyondBalance, UntilThenOthersArePromisedAsAnywhere) {
  EXPECT_EQ(SiteOf(Submit(Work({"hills"}))), "hills");
}

TEST_F(BeyondBalance, OthersAreSoughtElsewhereAndAreToldWhyTheyWait) {
  GiveEnough();
  EXPECT_NE(SiteOf(Submit(Work({"hills", "lakes", "woods"}))), "hills");
  const RequestId only_there = Submit(Work({"hills"}));
  EXPECT_EQ(Record(only_there).state, RequestState::kWaiting);
  ASSERT_TRUE(Record(only_there).reason.has_value());
  EXPECT_EQ(Record(only_there).reason->code, ReasonCode::kShare);
  EXPECT_EQ(Record(only_there).reason->subject.site, "hills");
  EXPECT_EQ(Record(only_there).reason->text.rfind("site hills gave others ", 0), 0u)
      << Record(only_there).reason->text;
}

TEST_F(BeyondBalance, WhatIsPromisedThereStays) {
  GiveEnough();
  Advance(61'000);
  for (const RequestId id : given_) EXPECT_EQ(SiteOf(id), "hills");
}

TEST_F(BeyondBalance, AUserAtHomeIsPromisedAStart) {
  GiveEnough();
  EXPECT_EQ(SiteOf(SubmitBy("ana", Work({"hills"}))), "hills");
}

TEST_F(BeyondBalance, WhoMayBeRecalledIsStillAskedFor) {
  GiveEnough();
  const size_t before = Of("hills").proposals;
  schemas::RequestSpec spec = Work({"hills"});
  spec.qos = "filler";
  const RequestId id = Submit(spec);
  EXPECT_GT(Of("hills").proposals, before);
  EXPECT_FALSE(Record(id).reason && Record(id).reason->code == ReasonCode::kShare);
}

TEST_F(BeyondBalance, TheSiteIsEvenAgainOnceItsUsersTookAsMuch) {
  GiveEnough();
  const RequestId waits = Submit(Work({"hills"}));
  EXPECT_EQ(Record(waits).state, RequestState::kWaiting);
  for (int i = 0; i < 4; ++i) SubmitBy("ana", Work({"lakes"}));
  Advance(130'000);
  EXPECT_EQ(SiteOf(waits), "hills");
}

TEST_F(BeyondBalance, AQuoteSaysWhyTheSiteOffersNothing) {
  GiveEnough();
  const schemas::Refused refused =
      RefusedBy(Client("kim", schemas::Ask{.request = Work({"hills"})}));
  EXPECT_EQ(refused.code, "busy");
  EXPECT_NE(refused.detail.find("lends beyond that"), std::string::npos) << refused.detail;
  const schemas::ToClient offers = Client("kim", schemas::Ask{.request = Work({"hills", "lakes"})});
  const auto* rows = std::get_if<schemas::Rows>(&offers.body);
  ASSERT_TRUE(rows != nullptr);
  ASSERT_EQ(rows->offers.size(), 2u);
  EXPECT_EQ(rows->offers[0].sites, std::vector<std::string>{"lakes"});
  ASSERT_TRUE(rows->offers[1].figures.no_promise_reason.has_value());
  EXPECT_EQ(rows->offers[1].figures.no_promise_reason->code, ReasonCode::kShare);
}

}  // namespace
}  // namespace muster::meta
