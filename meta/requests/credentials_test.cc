// Account and QoS of a request: what is filled in, what is refused and how, what a QoS grants.
#include "meta/requests/credentials.h"

#include <gtest/gtest.h>

#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

class CredentialsTest : public RequestsRoom {
 protected:
  CredentialsTest() {
    f_.options.credentials = {
        .accounts = {{"chem", {"@chem"}}, {"course", {"*"}}},
        .qos = {{.name = "urgent", .grant = {"account chem"}, .urgency = 90},
                {.name = "staff",
                 .grant = {"@chem"},
                 .may = {policy::Privilege::kReserve, policy::Privilege::kFirm}}}};
    f_.users["kim"] = {.name = "kim", .groups = {"chem"}};
    f_.users["ann"] = {.name = "ann"};
  }
  verifier::Fault Enter(schemas::RequestSpec& spec, const std::string& user) {
    return EnterCredentials(f_, spec, user, t_.plan);
  }
};

TEST_F(CredentialsTest, WhoNamesNoneGetsTheFirstAccount) {
  schemas::RequestSpec spec;
  EXPECT_FALSE(Enter(spec, "kim"));
  EXPECT_EQ(spec.account, "chem");
  EXPECT_EQ(spec.qos, "");
  schemas::RequestSpec other;
  EXPECT_FALSE(Enter(other, "ann"));
  EXPECT_EQ(other.account, "course");
}

TEST_F(CredentialsTest, WhatIsNotGrantedIsDeniedAndTheAnswerNamesWhatIs) {
  schemas::RequestSpec spec{.account = "chem"};
  auto fault = Enter(spec, "ann");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, "denied");
  EXPECT_EQ(fault->message, "-A chem: ann has no such account");
  EXPECT_EQ(fault->help, "-A course");
  schemas::RequestSpec quick{.account = "course", .qos = "urgent"};
  fault = Enter(quick, "kim");
  ASSERT_TRUE(fault) << "the QoS is granted to account chem alone";
  EXPECT_EQ(fault->help, "--qos staff");
  EXPECT_EQ(quick.account, "course") << "a refused request is as it was";
}

TEST_F(CredentialsTest, APrivilegeOfAQosIsNotForOthers) {
  schemas::RequestSpec spec{.firm = true};
  const auto fault = Enter(spec, "kim");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "--firm is for QoS staff");
  EXPECT_EQ(fault->help, "--qos staff");
  spec.qos = "staff";
  EXPECT_FALSE(Enter(spec, "kim"));
  schemas::RequestSpec late{.deadline = Instant{1'900'000'000}};
  EXPECT_FALSE(Enter(late, "ann")) << "no QoS has this privilege, so it is for all";
}

TEST_F(CredentialsTest, AContractHasTheTermsOfTheQosOrTheUsualOnes) {
  f_.options.credentials.qos.push_back(
      {.name = "patient",
       .grant = {"*"},
       .recall = policy::RecallTerms{.grace = Span{5}, .min_run = Span{60}, .max_recalls = 7}});
  schemas::RequestSpec plain{.parts = {{}}};
  EXPECT_FALSE(Enter(plain, "ann"));
  EXPECT_FALSE(plain.contract);
  schemas::RequestSpec own{.parts = {{}}, .contract = schemas::Contract{.grace = Span{1}}};
  EXPECT_FALSE(Enter(own, "ann"));
  EXPECT_EQ(own.contract, schemas::Contract()) << "only the way is the user's";
  schemas::RequestSpec patient{.parts = {{}}, .qos = "patient"};
  EXPECT_FALSE(Enter(patient, "ann"));
  const schemas::Contract terms{.grace = Span{5}, .min_run = Span{60}, .max_recalls = 7};
  EXPECT_EQ(patient.contract, terms);
}

TEST_F(CredentialsTest, WhatHasSeveralPartsOrReservesHasNoContract) {
  f_.options.credentials.qos.push_back(
      {.name = "patient", .grant = {"*"}, .recall = policy::RecallTerms()});
  schemas::RequestSpec several{.parts = {{}, {}}, .qos = "patient"};
  EXPECT_FALSE(Enter(several, "ann"));
  EXPECT_FALSE(several.contract);
  schemas::RequestSpec asked{.parts = {{}, {}}, .contract = schemas::Contract()};
  const auto fault = Enter(asked, "ann");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "--recall is for jobs of one part that are in no reservation");
  schemas::RequestSpec reserves{.parts = {{}}, .reserves = schemas::ReservationSpec()};
  reserves.contract.emplace();
  EXPECT_TRUE(Enter(reserves, "kim"));
}

TEST_F(CredentialsTest, UrgencyIsOfTheQueueAndTheQos) {
  f_.requests.SetQueues({"debug", "normal"});
  EXPECT_EQ(UrgencyOf(f_, {.queue = "normal", .qos = "urgent"}), 40);
  EXPECT_EQ(UrgencyOf(f_, {.queue = "debug"}), 100);
  f_.options.credentials.qos.clear();
  EXPECT_EQ(UrgencyOf(f_, {.queue = "debug", .qos = "urgent"}), 1);
}

TEST_F(CredentialsTest, WhoHasNoPromiseIsNotSuspended) {
  f_.options.credentials.qos.push_back({.name = "filler",
                                        .grant = {"*"},
                                        .promise = policy::PromiseTime::kStart,
                                        .recall = policy::RecallTerms{}});
  f_.options.credentials.qos.push_back(
      {.name = "patient",
       .grant = {"*"},
       .recall = policy::RecallTerms{.way = policy::Recall::kSuspend, .grace = Span{7}}});
  schemas::RequestSpec spec{.parts = {{}}, .qos = "filler"};
  spec.contract = schemas::Contract{.way = schemas::RecallWay::kSuspend};
  const auto fault = Enter(spec, "kim");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, "usage");
  EXPECT_NE(fault->message.find("promise = \"start\""), std::string::npos) << fault->message;
  schemas::RequestSpec usual{.parts = {{}}, .qos = "filler"};
  EXPECT_FALSE(Enter(usual, "kim"));
  schemas::RequestSpec by_qos{.parts = {{}}, .qos = "patient"};
  EXPECT_FALSE(Enter(by_qos, "kim"));
  ASSERT_TRUE(by_qos.contract);
  EXPECT_EQ(by_qos.contract->way, schemas::RecallWay::kSuspend);
  EXPECT_EQ(by_qos.contract->grace, Span{7});
}

}  // namespace
}  // namespace muster::meta
