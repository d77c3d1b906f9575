// How the meta's core answers one user who asks too much at once, and how it explains what has
// started or ended. protocol.md section 9; cli.md section 3.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

TEST_F(MetaCore, OneUsersFloodIsAnsweredBusyAndHarmsNoOtherUser) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  for (FakeSite& site : sites_) site.cut = true;  // questions stay out
  const auto ask = [&](const std::string& user, decltype(schemas::ClientMessage::body) body) {
    answers_.clear();
    schemas::ClientMessage m;
    m.number = MessageNumber{++number_};
    m.body = std::move(body);
    Turn({ClientSays{user, "terminal", std::move(m)}});
    if (answers_.empty()) return std::string();
    const auto* refused = std::get_if<schemas::Refused>(&answers_.front().message.body);
    return refused ? refused->code : std::string("answered");
  };
  schemas::Get slots{.kind = schemas::GetKind::kSlots};
  slots.spec = Spec({{"hills"}});
  const schemas::Get gantt{.kind = schemas::GetKind::kGantt};
  for (size_t i = 0; i < schemas::kAsksPerUser; ++i) {
    EXPECT_EQ(ask("kim", schemas::Ask{Spec({{"hills"}})}), "");
    EXPECT_EQ(ask("kim", gantt), "");
  }
  EXPECT_EQ(ask("kim", schemas::Ask{Spec({{"hills"}})}), "busy");
  EXPECT_EQ(ask("kim", gantt), "busy");
  EXPECT_EQ(ask("kim", slots), "busy");
  EXPECT_EQ(ask("ana", schemas::Ask{Spec({{"hills"}})}), "");
  EXPECT_EQ(ask("ana", gantt), "");
  for (size_t i = 0; i < schemas::kFollowersPerUser; ++i) {
    EXPECT_EQ(ask("kim", schemas::Follow{.kind = schemas::FollowKind::kEvents}), "answered");
    EXPECT_EQ(ask("kim", schemas::Follow{.requests = {id}}), "answered");
  }
  EXPECT_EQ(ask("kim", schemas::Follow{.kind = schemas::FollowKind::kEvents}), "busy");
  EXPECT_EQ(ask("kim", schemas::Follow{.requests = {id}}), "busy");
  EXPECT_EQ(ask("ana", schemas::Follow{.requests = {id}}), "answered");
}

TEST_F(MetaCore, ExplanationsAreCountedByUser) {
  DialAll();
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.from = Instant{kBegin + 600};
  const RequestId id = Submit(spec);
  Of("hills").cut = true;
  const schemas::Get explain{.kind = schemas::GetKind::kExplain, .requests = {id}};
  const auto ask = [&](const std::string& user) {
    answers_.clear();
    schemas::ClientMessage m;
    m.number = MessageNumber{++number_};
    m.body = explain;
    Turn({ClientSays{user, "terminal", std::move(m)}});
    return answers_.size();
  };
  for (size_t i = 0; i < schemas::kAsksPerUser; ++i) EXPECT_EQ(ask("kim"), 0u);
  EXPECT_EQ(ask("kim"), 1u);
  EXPECT_EQ(RefusedBy(answers_[0].message).code, "busy");
  EXPECT_EQ(ask("ana"), 0u);
}

TEST_F(MetaCore, WhatHasStartedOrEndedIsExplainedAsSuch) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const auto explain = [&] {
    const schemas::Get get{.kind = schemas::GetKind::kExplain, .requests = {id}};
    return *std::get<schemas::Rows>(Client("kim", get).body).explain;
  };
  Run(Of("hills"), FenceOf(id));
  EXPECT_EQ(explain().reason->text, "it has started");
  EXPECT_TRUE(explain().parts.empty());
  End(Of("hills"), FenceOf(id), 0);
  EXPECT_EQ(explain().reason->text, "it has ended");
}

}  // namespace
}  // namespace muster::meta
