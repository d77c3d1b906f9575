// Who may ask under what (Maui Sect. III, Quality of Service).
#include "policy/qos.h"

#include <gtest/gtest.h>

namespace muster::policy {
namespace {

using Names = std::vector<std::string>;

CredentialRules Campus() {
  return {.accounts = {{"chem", {"kim", "@chem"}}, {"bio", {"@bio"}}, {"course", {"*"}}},
          .qos = {{.name = "urgent", .grant = {"account chem"}, .urgency = 90},
                  {.name = "filler", .grant = {"*"}, .default_for = {"@students"}, .urgency = 10},
                  {.name = "staff", .default_for = {"@bio"}, .may = {Privilege::kReserve}}}};
}

TEST(Qos, AccountsAndQualitiesAreForThoseWhoAreNamed) {
  const CredentialRules rules = Campus();
  EXPECT_EQ(AccountsOf(rules, {.user = "kim"}), (Names{"chem", "course"}));
  EXPECT_EQ(AccountsOf(rules, {.user = "lee", .groups = {"bio"}}), (Names{"bio", "course"}));
  EXPECT_EQ(QosOf(rules, {.user = "kim", .account = "chem"}), (Names{"urgent", "filler"}));
  EXPECT_EQ(QosOf(rules, {.user = "kim", .account = "course"}), Names{"filler"});
  EXPECT_EQ(QosOf(rules, {.user = "lee", .groups = {"bio"}}), (Names{"filler", "staff"}))
      << "who gets it unasked may also ask for it";
}

TEST(Qos, WhatIsNotNamedIsTheFirstAccountAndTheFirstDefault) {
  const CredentialRules rules = Campus();
  Credentials kim{.user = "kim"};
  FillCredentials(rules, kim);
  EXPECT_EQ(kim.account, "chem");
  EXPECT_EQ(kim.qos, "");
  Credentials student{.user = "ann", .groups = {"bio", "students"}, .account = "course"};
  FillCredentials(rules, student);
  EXPECT_EQ(student.account, "course") << "what was asked for stays";
  EXPECT_EQ(student.qos, "filler");
}

TEST(Qos, UrgencyIsOfTheQueueFirstAndTheUsualOneOfTheLastQueueIsZero) {
  const CredentialRules rules = Campus();
  EXPECT_EQ(UrgencyOf({}, 2, ""), 2) << "without any QoS the queue's alone";
  EXPECT_EQ(UrgencyOf(rules, 0, ""), 0);
  EXPECT_EQ(UrgencyOf(rules, 0, "urgent"), 40);
  EXPECT_EQ(UrgencyOf(rules, 0, "filler"), -40);
  EXPECT_EQ(UrgencyOf(rules, 1, "filler"), 60);
  EXPECT_GT(UrgencyOf(rules, 1, "filler"), UrgencyOf(rules, 0, "urgent"));
  EXPECT_EQ(UrgencyOf(rules, 1, "gone"), 100) << "a QoS that a reload took away is the usual one";
}

TEST(Qos, APrivilegeThatAnyQosHasIsForThoseAlone) {
  const CredentialRules rules = Campus();
  EXPECT_EQ(NeedsOneOf(rules, Privilege::kReserve, "filler"), Names{"staff"});
  EXPECT_EQ(NeedsOneOf(rules, Privilege::kReserve, ""), Names{"staff"});
  EXPECT_EQ(NeedsOneOf(rules, Privilege::kReserve, "staff"), Names{});
  EXPECT_EQ(NeedsOneOf(rules, Privilege::kFirm, ""), Names{}) << "no QoS has it: it is for all";
}

}  // namespace
}  // namespace muster::policy
