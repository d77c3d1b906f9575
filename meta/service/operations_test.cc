// Acts of owners and operators: hold and release, settle, drain, forget, keys, audit; events and
// verdicts. protocol.md sections 2b, 3.2, 3.5; cli.md section 2.
#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

using schemas::Act;
using schemas::ActVerb;

class Acts : public MetaCore {
 protected:
  schemas::Rows Rows(const std::string& user, schemas::Get get) {
    const schemas::ToClient answer = Client(user, std::move(get));
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    EXPECT_TRUE(rows != nullptr);
    return rows ? *rows : schemas::Rows{};
  }
};

TEST_F(Acts, AHeldJobGivesItsPlaceBackAndIsPlacedWhenReleased) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = FenceOf(id);
  EXPECT_EQ(Acted("kim", {.verb = ActVerb::kPark, .requests = {id}}).notes[0],
            "held; its place is given back");
  EXPECT_EQ(Of("hills").states[fence], HoldState::kClosed);
  EXPECT_EQ(Job(id).state, RequestState::kParked);
  EXPECT_FALSE(Job(id).figures.starts_by.has_value());
  Advance(20'000);
  EXPECT_EQ(Job(id).state, RequestState::kParked);
  Start();
  DialAll();
  EXPECT_EQ(Job(id).state, RequestState::kParked) << "it is durable";
  EXPECT_EQ(Acted("kim", {.verb = ActVerb::kUnpark, .requests = {id}}).notes[0], "may start again");
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
}

TEST_F(Acts, ACoAllocationThatIsHeldIsReleasedEverywhere) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence fence = FenceOf(id);
  Acted("kim", {.verb = ActVerb::kPark, .requests = {id}});
  Settle();
  EXPECT_EQ(Of("hills").states[fence], HoldState::kClosed);
  EXPECT_EQ(Of("lakes").states[fence], HoldState::kClosed);
  EXPECT_EQ(Job(id).state, RequestState::kParked);
}

TEST_F(Acts, WhatRunsIsNotHeld) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  Run(Of("hills"), FenceOf(id));
  Acted("kim", {.verb = ActVerb::kPark, .requests = {id}});
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
  End(Of("hills"), FenceOf(id), 0);
  EXPECT_EQ(Job(id).outcome, Outcome::kDone);
}

TEST_F(Acts, OthersJobsAndOperatorsVerbsAreDenied) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  EXPECT_EQ(RefusedBy(Client("ana", Act{.verb = ActVerb::kPark, .requests = {id}})).code, "denied");
  for (const ActVerb verb : {ActVerb::kSettle, ActVerb::kDrain, ActVerb::kResume, ActVerb::kForget,
                             ActVerb::kReload, ActVerb::kRevokeKey}) {
    EXPECT_EQ(RefusedBy(Client("kim", Act{.verb = verb, .requests = {id}})).code, "denied");
  }
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
}

TEST_F(Acts, AnUnknownOutcomeIsSettledByAnOperator) {
  DialAll();
  const RequestId gone = Submit(Spec({{"hills"}}));
  const RequestId again = Submit(Spec({{"hills"}}));
  EXPECT_EQ(RefusedBy(Client("root", Act{.verb = ActVerb::kSettle, .requests = {gone}})).code,
            "conflict");
  for (const RequestId id : {gone, again}) Run(Of("hills"), FenceOf(id));
  Of("hills").cut = true;
  Advance(10'000);
  EXPECT_EQ(Job(gone).state, RequestState::kUnknown);
  Acted("root", {.verb = ActVerb::kSettle, .requests = {gone}});
  EXPECT_EQ(Job(gone).outcome, Outcome::kLost);
  Acted("root",
        {.verb = ActVerb::kSettle, .requests = {again}, .settled = schemas::Settlement::kNeverRan});
  EXPECT_EQ(Job(again).state, RequestState::kWaiting);
  // When hills comes back, the jobs that still run there are stopped.
  Of("hills").cut = false;
  Advance(10'000);
  EXPECT_FALSE(Of("hills").releases.empty());
  EXPECT_EQ(Rows("root", {.kind = schemas::GetKind::kAudit}).audit.size(), 2u);
}

TEST_F(Acts, ADrainIsDurableAndSaidUntilItsSiteAnswers) {
  DialAll();
  Of("lakes").mute_steers = true;
  Acted("root", {.verb = ActVerb::kDrain, .nodes = {"lakes/n1"}, .reason = "fan"});
  ASSERT_EQ(Of("lakes").steers.size(), 1u);
  EXPECT_EQ(Of("lakes").steers[0].nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(Of("lakes").steers[0].reason, "fan");
  Start();
  Dial(Of("lakes"));
  EXPECT_GE(Of("lakes").steers.size(), 2u);
  Of("lakes").mute_steers = false;
  connected_ = true;
  Advance(20'000);
  const size_t said = Of("lakes").steers.size();
  for (const auto& [key, record] : store_) EXPECT_FALSE(key.starts_with("steer/"));
  Advance(20'000);
  EXPECT_EQ(Of("lakes").steers.size(), said);
  EXPECT_EQ(RefusedBy(Client("root", Act{.verb = ActVerb::kDrain, .nodes = {"n1"}})).code, "usage");
  EXPECT_EQ(RefusedBy(Client("root", Act{.verb = ActVerb::kDrain, .nodes = {"moon/n1"}})).code,
            "not-found");
}

TEST_F(Acts, AHardDrainNamesThePromisesItMovesAndWaitsForAYes) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  Act act{.verb = ActVerb::kDrain, .nodes = {"lakes/n1"}, .hard = true};
  Of("lakes").moves = {{.job = ToText(id), .before = Instant{kBegin + 1}}};
  const schemas::Refused refused = RefusedBy(Client("root", act));
  EXPECT_EQ(refused.code, "conflict");
  EXPECT_EQ(refused.detail, ToText(id));
  EXPECT_TRUE(Of("lakes").steers.empty());
  act.may_move = true;
  Acted("root", act);
  ASSERT_EQ(Of("lakes").steers.size(), 1u);
  EXPECT_TRUE(Of("lakes").steers[0].hard);
}

TEST_F(Acts, ASiteThatIsGivenUpLeavesUnknownWhatMayHaveRunAndPlacesTheRestElsewhere) {
  DialAll();
  const RequestId ran = Submit(Spec({{"hills"}}));
  schemas::RequestSpec later = Spec({{"hills", "lakes"}, {"woods"}});
  later.at = Instant{kBegin + 3000};
  const RequestId joint = Submit(later);
  EXPECT_EQ(RefusedBy(Client("root", Act{.verb = ActVerb::kForget, .site = "hills"})).code,
            "conflict");
  Run(Of("hills"), FenceOf(ran));
  Of("hills").cut = true;
  Advance(10'000);
  EXPECT_EQ(RefusedBy(Client("root", Act{.verb = ActVerb::kForget, .site = "hills"})).code,
            "conflict")
      << "jobs have a place there";
  Acted("root", {.verb = ActVerb::kForget, .site = "hills", .may_move = true});
  EXPECT_EQ(Job(ran).state, RequestState::kUnknown);
  EXPECT_EQ(Job(joint).state, RequestState::kPromised);
  for (const schemas::PartView& part : Job(joint).parts) EXPECT_NE(part.site, "hills");
  Acted("root", {.verb = ActVerb::kSettle, .requests = {ran}});
  EXPECT_EQ(Job(ran).outcome, Outcome::kLost);
}

TEST_F(Acts, ASiteThatWasGivenUpIsHeardAgainWithoutItsStore) {
  Of("hills").incarnation = Incarnation{5};
  DialAll();
  Of("hills").cut = true;
  Advance(10'000);
  Acted("root", {.verb = ActVerb::kForget, .site = "hills", .may_move = true});
  Of("hills").cut = false;
  Of("hills").incarnation = Incarnation{1};
  Say(Of("hills"), schemas::Hello{.incarnation = Incarnation{1}});
  ASSERT_FALSE(to_sites_.empty());
  EXPECT_TRUE(std::holds_alternative<schemas::Welcome>(to_sites_.back().message.body));
}

TEST_F(Acts, ASiteThatWasGivenUpAndCountsAnewIsUpAgain) {
  DialAll();
  Advance(30'000);
  const RequestId ran = Submit(Spec({{"hills"}}));
  Run(Of("hills"), FenceOf(ran));
  const uint64_t counted = number_;
  Of("hills").cut = true;
  Advance(10'000);
  Acted("root", {.verb = ActVerb::kForget, .site = "hills", .may_move = true});
  // hills has a new store: it knows nothing and begins again with its first incarnation.
  Of("hills") = FakeSite("hills");
  number_ = 0;
  Dial(Of("hills"));
  Advance(1000);
  ASSERT_LT(number_, counted);
  EXPECT_EQ(Job(Submit(Spec({{"hills"}}))).state, RequestState::kPromised);
}

TEST_F(Acts, KeysAreListedRotatedAndRevoked) {
  const std::string new_key(40, 'b');
  DialAll();
  EXPECT_EQ(core_->HeardKeys().size(), 2u);
  Acted("kim", {.verb = ActVerb::kRotateKey, .public_key = new_key});
  EXPECT_EQ(core_->HeardKeys()[0].public_key, new_key);
  EXPECT_EQ(RefusedBy(Client("kim", Act{.verb = ActVerb::kRotateKey, .public_key = "x"})).code,
            "usage");
  Start();
  EXPECT_EQ(core_->HeardKeys()[0].public_key, new_key) << "it is durable";
  Acted("root", {.verb = ActVerb::kRevokeKey, .name = "user:kim"});
  EXPECT_EQ(core_->HeardKeys().size(), 1u);
  EXPECT_EQ(RefusedBy(Client("root", Act{.verb = ActVerb::kRevokeKey, .name = "root"})).code,
            "conflict");
  const schemas::Rows rows = Rows("root", {.kind = schemas::GetKind::kKeys});
  ASSERT_EQ(rows.keys.size(), 2u);
  EXPECT_EQ(rows.keys[0].state, "revoked");
  EXPECT_EQ(RefusedBy(Client("ana", schemas::Get{.kind = schemas::GetKind::kKeys})).code, "denied");
}

TEST_F(Acts, WhoeverFollowsEventsHearsEachOnceAndMayComeLater) {
  DialAll();
  answers_.clear();
  schemas::ClientMessage follow;
  follow.number = MessageNumber{7000};
  follow.body = schemas::Follow{.kind = schemas::FollowKind::kEvents};
  Turn({ClientSays{"ana", "watch", follow}});
  const RequestId id = Submit(Spec({{"hills"}}));
  std::vector<uint64_t> numbers;
  for (const ClientAnswer& answer : answers_) {
    if (answer.link != "watch") continue;
    for (const auto& event : std::get<schemas::Rows>(answer.message.body).events) {
      numbers.push_back(event.number);
    }
  }
  ASSERT_GE(numbers.size(), 2u);
  for (size_t i = 1; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], numbers[i - 1] + 1);
  const schemas::ToClient again =
      Client("ana", schemas::Follow{.kind = schemas::FollowKind::kEvents, .from = 1});
  const auto& events = std::get<schemas::Rows>(again.body).events;
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [&](const auto& event) {
    return event.code == "accepted" && event.job == ToText(id);
  }));
}

TEST_F(Acts, VerdictsTellHowAPlaceWasFoundRoundByRound) {
  DialAll();
  Of("hills").not_before = Instant{kBegin + 500};
  const RequestId id = Submit(Spec({{}}));
  const schemas::Rows rows = Rows("kim", {.kind = schemas::GetKind::kVerdicts, .requests = {id}});
  ASSERT_GE(rows.verdicts.size(), 4u);  // three sites' answers and the hold
  EXPECT_EQ(rows.verdicts[0].round, 1u);
  EXPECT_EQ(rows.verdicts[0].site, "hills");
  EXPECT_EQ(rows.verdicts[0].verdict, "countered");
  EXPECT_EQ(rows.verdicts.back().how, "hold");
  EXPECT_EQ(rows.verdicts.back().verdict, "committed");
}

}  // namespace
}  // namespace muster::meta
