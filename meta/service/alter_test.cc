// Alterations, on the meta's core with scripted sites: what waits, what is promised, what runs.
// protocol.md section 5 (user), cli.md section 3 (alter).
#include <gtest/gtest.h>

#include "meta/core_fixture.h"

namespace muster::meta {
namespace {

class AlterTest : public MetaCore {
 protected:
  static schemas::Act AlterAct(RequestId id, schemas::Alteration changes) {
    schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
    act.changes = std::move(changes);
    return act;
  }
  Instant FenceStart(RequestId id) { return starts_.at({"lakes", FenceOf(id)}); }
  static schemas::Alteration Lasting(int64_t seconds) { return {.duration = Span{seconds}}; }
  schemas::Refused AlterRefused(const std::string& user, const schemas::Act& act) {
    return RefusedBy(Client(user, act));
  }
};

TEST_F(AlterTest, APromiseIsReplacedInOneWriteAndStaysAsItWasUntilThen) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  ASSERT_EQ(Record(id).state, RequestState::kPromised);
  const auto accepted = Acted("kim", AlterAct(id, Lasting(300)));
  ASSERT_EQ(accepted.notes.size(), 1u);
  EXPECT_EQ(accepted.notes[0], "5m (was 10m)");
  const Fence now = FenceOf(id);
  EXPECT_NE(now, old);
  EXPECT_EQ(lakes.orders.at(now).replaces, old);
  EXPECT_EQ(lakes.orders.at(now).parts[0].duration, Span{300});
  EXPECT_EQ(lakes.states.at(old), HoldState::kClosed);
  EXPECT_TRUE(lakes.permits.contains(now));
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(Record(id).spec.duration, Span{300});
  EXPECT_EQ(Record(id).replacements, 0u);
  ASSERT_TRUE(Record(id).history.back().cause.has_value());
  EXPECT_EQ(Record(id).history.back().cause->code, schemas::CauseCode::kUser);
}

TEST_F(AlterTest, ALaterStartIsAConflictUnlessPromisesMayMove) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  lakes.not_before = Instant{kBegin + 1000};
  const schemas::Act act = AlterAct(id, Lasting(6000));
  const schemas::Refused refused = AlterRefused("kim", act);
  EXPECT_EQ(refused.code, "conflict");
  EXPECT_EQ(refused.detail, ToText(id));
  EXPECT_NE(refused.message.find("this would move 1 promise, by up to "), std::string::npos)
      << refused.message;
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Record(id).spec.duration, Span{600});
  EXPECT_EQ(lakes.states.at(old), HoldState::kPermitted);

  schemas::Act tried = act;
  tried.only_try = true;
  const auto moves = Acted("kim", tried).moves;
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].job, ToText(id));
  EXPECT_EQ(moves[0].after, Instant{kBegin + 1000});
  EXPECT_EQ(FenceOf(id), old);

  schemas::Act sure = act;
  sure.may_move = true;
  Acted("kim", sure);
  EXPECT_EQ(Record(id).spec.duration, Span{6000});
  EXPECT_NE(FenceOf(id), old);
}

TEST_F(AlterTest, APlaceLostWhileAnotherIsSoughtLeavesARequestThatIsPlacedAgain) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const schemas::Cause drained{schemas::CauseCode::kOperator, {.site = "lakes"}, "operator:root"};
  for (const bool held : {false, true}) {
    const RequestId id = Submit(Spec({{"lakes"}}));
    const Fence old = FenceOf(id);
    schemas::ClientMessage message;
    message.number = MessageNumber{++number_};
    message.body = AlterAct(id, Lasting(300));
    answers_.clear();
    Turn({ClientSays{"kim", "terminal", std::move(message)}});
    // The place is lost while sites are asked, or while lakes ignores an order to hold another.
    lakes.mute_holds = held;
    if (held) Settle();
    Become(lakes, old, HoldState::kClosed, schemas::ClosedAs::kDropped, drained);
    Settle();
    if (held) Advance(6'000);
    lakes.mute_holds = false;
    ASSERT_EQ(answers_.size(), 1u);
    const bool altered = std::holds_alternative<schemas::Accepted>(answers_[0].message.body);
    EXPECT_EQ(altered, !held);
    EXPECT_EQ(Record(id).replacements, 1u);
    Advance(30'000);
    ASSERT_EQ(Record(id).state, RequestState::kPromised) << held;
    EXPECT_EQ(lakes.orders.at(FenceOf(id)).parts[0].duration, Span{altered ? 300 : 600});
  }
}

TEST_F(AlterTest, APlaceThatIsEndangeredWhileAnotherIsSoughtIsReplacedAsItWas) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const schemas::Cause drained{schemas::CauseCode::kOperator, {}, "operator:root"};
  for (const bool gone : {false, true}) {
    schemas::RequestSpec spec = Spec({{"lakes"}, {"woods"}});
    spec.from = Instant{now_.wall.Ceiling().seconds + 3600};
    const RequestId id = Submit(spec);
    const Fence old = FenceOf(id);
    ASSERT_EQ(Record(id).state, RequestState::kPromised);
    schemas::ClientMessage message;
    message.number = MessageNumber{++number_};
    message.body = AlterAct(id, Lasting(300));
    answers_.clear();
    Turn({ClientSays{"kim", "terminal", std::move(message)}});
    lakes.mute_holds = true;
    Settle();
    // C7: one member is gone, or all of them are, while lakes is asked to hold another place.
    Become(Of("woods"), old, HoldState::kClosed, schemas::ClosedAs::kDropped, drained);
    if (gone) Become(lakes, old, HoldState::kClosed, schemas::ClosedAs::kDropped, drained);
    Settle();
    Advance(6'000);
    lakes.mute_holds = false;
    ASSERT_EQ(answers_.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<schemas::Refused>(answers_[0].message.body));
    Advance(60'000);
    ASSERT_EQ(Record(id).state, RequestState::kPromised) << gone;
    EXPECT_EQ(Record(id).spec.duration, Span{600});
    const Fence now = FenceOf(id);
    EXPECT_NE(now, old);
    for (const char* site : {"lakes", "woods"}) {
      EXPECT_EQ(Of(site).orders.at(now).parts[0].duration, Span{600});
      EXPECT_NE(Of(site).states.at(now), HoldState::kClosed);
      EXPECT_EQ(Of(site).states.at(old), HoldState::kClosed);
    }
  }
}

TEST_F(AlterTest, ANewNameLeavesTheSearchForALostPlaceAsItIs) {
  DialAll();
  schemas::RequestSpec spec = Spec({{"hills"}, {"lakes"}});
  spec.from = Instant{now_.wall.Ceiling().seconds + 3600};
  const RequestId id = Submit(spec);
  const Fence old = FenceOf(id);
  Of("lakes").cut = true;
  Advance(15'000);
  Become(Of("hills"), old, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "hills"}, "site:hills"});
  Settle();
  ASSERT_EQ(FenceOf(id), old) << "nothing is placed while lakes is silent";
  ASSERT_EQ(Acted("kim", AlterAct(id, {.name = "named"})).notes.size(), 1u);
  Of("lakes").cut = false;
  Advance(2'000);
  EXPECT_NE(FenceOf(id), old);
  EXPECT_EQ(Of("lakes").states.at(old), HoldState::kClosed);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

TEST_F(AlterTest, PutsNodesBelowOneSwitchAndLetsThemGoAgain) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  const auto grouped = [&](const std::string& how) {
    return schemas::Alteration{.parts = {schemas::PartAlteration{.set = how}}};
  };
  EXPECT_EQ(Acted("kim", AlterAct(id, grouped("switch"))).notes[0], "all nodes below one switch");
  EXPECT_EQ(Record(id).spec.parts[0].set, "switch");
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).parts[0].set, "switch");
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, grouped("rack"))).code, "usage");
  EXPECT_EQ(Acted("kim", AlterAct(id, grouped(""))).notes[0], "nodes anywhere");
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).parts[0].set, "");
}

TEST_F(AlterTest, WhatEndsWhileAnotherPlaceIsSoughtHasEnded) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  schemas::ClientMessage message;
  message.number = MessageNumber{++number_};
  message.body = AlterAct(id, Lasting(300));
  answers_.clear();
  lakes.mute_holds = true;
  Turn({ClientSays{"kim", "terminal", std::move(message)}});
  Settle();
  Run(lakes, old);
  End(lakes, old, 0);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_NE(RefusedBy(answers_[0].message).message.find("has ended"), std::string::npos);
  Advance(30'000);
  EXPECT_EQ(Record(id).state, RequestState::kEnded);
  EXPECT_EQ(Record(id).outcome, Outcome::kDone);
  EXPECT_EQ(Record(id).replacements, 0u);
}

TEST_F(AlterTest, OneThatIsNotAlteredInTimeKeepsItsPlaceAndSeeksNoOther) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence old = FenceOf(id);
  schemas::ClientMessage message{.number = MessageNumber{++number_}};
  schemas::Act act = AlterAct(id, Lasting(300));
  act.may_move = true;
  message.body = std::move(act);
  answers_.clear();
  // The sites are asked late, so the new place is still being held when the answer is due.
  lakes.mute_holds = true;
  Turn({ClientSays{"kim", "terminal", std::move(message)}});
  std::deque<SiteMessage> questions = std::exchange(to_sites_, {});
  Advance(1000);
  to_sites_ = std::move(questions);
  Settle();
  ASSERT_EQ(Of("hills").orders.size(), 2u);
  Advance(8'000);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(RefusedBy(answers_[0].message).code, "conflict");
  lakes.mute_holds = false;
  Advance(12'000);
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Record(id).history.size(), 1u);
  for (const char* name : {"hills", "lakes"}) {
    for (const auto& [fence, state] : Of(name).states) {
      EXPECT_EQ(state == HoldState::kClosed, fence != old) << name << " " << ToText(fence);
    }
  }
}

TEST_F(AlterTest, WhatIsOnlyTriedLeavesARequestThatLostItsPlaceAsItWas) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  schemas::ClientMessage message;
  message.number = MessageNumber{++number_};
  schemas::Act act = AlterAct(id, Lasting(300));
  act.only_try = true;
  message.body = act;
  answers_.clear();
  Turn({ClientSays{"kim", "terminal", std::move(message)}});
  Become(lakes, old, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kOperator, {.site = "lakes"}, "operator:root"});
  Settle();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(std::get<schemas::Accepted>(answers_[0].message.body).notes[0], "5m (was 10m)");
  Advance(30'000);
  ASSERT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(lakes.orders.at(FenceOf(id)).parts[0].duration, Span{600});
}

TEST_F(AlterTest, AtAnotherSiteTheOldPlaceIsGivenBackBeforeTheNewOneIsPermitted) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  FakeSite& woods = Of("woods");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  schemas::PartAlteration part{.sites = schemas::Names{{"woods"}}};
  schemas::Act act = AlterAct(id, {.parts = {part}});
  act.may_move = true;
  Acted("kim", act);
  const Fence now = FenceOf(id);
  EXPECT_TRUE(woods.permits.contains(now));
  EXPECT_EQ(lakes.states.at(old), HoldState::kClosed);
  ASSERT_FALSE(lakes.releases.empty());
  EXPECT_EQ(lakes.releases[0].cause.code, schemas::CauseCode::kUser);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

TEST_F(AlterTest, APlaceGivenBackForOneThatARestartForgotIsFollowedByAnother) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  FakeSite& woods = Of("woods");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  entropy_ = false;
  Start();  // without secrets the new place cannot be permitted
  DialAll();
  schemas::PartAlteration part{.sites = schemas::Names{{"woods"}}};
  schemas::ClientMessage message{.number = MessageNumber{++number_}};
  schemas::Act act = AlterAct(id, {.parts = {part}});
  act.may_move = true;
  message.body = std::move(act);
  Turn({ClientSays{"kim", "terminal", std::move(message)}});
  Settle();
  ASSERT_EQ(woods.orders.size(), 1u);
  ASSERT_EQ(lakes.states.at(old), HoldState::kClosed);
  entropy_ = true;
  to_sites_.clear();
  Start();
  DialAll();
  Advance(1000);
  const schemas::RequestRecord record = Record(id);
  EXPECT_EQ(record.state, RequestState::kPromised);
  EXPECT_EQ(record.replacements, 1u);
  ASSERT_NE(FenceOf(id), old);
  EXPECT_TRUE(lakes.permits.contains(FenceOf(id)));
  ASSERT_EQ(record.history.size(), 3u);
  EXPECT_EQ(record.history[1].cause->code, schemas::CauseCode::kUser);
}

TEST_F(AlterTest, WhatWaitsIsAnotherRequestFromThenOn) {
  const RequestId id = Submit(Spec({{"lakes"}}));
  Acted("kim", AlterAct(id, Lasting(60)));
  EXPECT_EQ(Record(id).spec.duration, Span{60});
  DialAll();
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).parts[0].duration, Span{60});
}

TEST_F(AlterTest, WhatRunsIsChangedByItsSites) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  Run(lakes, FenceOf(id));
  ASSERT_EQ(Record(id).state, RequestState::kRunning);
  const auto accepted = Acted("kim", AlterAct(id, Lasting(660)));
  ASSERT_EQ(lakes.steers.size(), 1u);
  EXPECT_EQ(lakes.steers[0].verb, schemas::SteerVerb::kExtend);
  EXPECT_EQ(lakes.steers[0].span, Span{60});
  EXPECT_EQ(lakes.steers[0].fence, FenceOf(id));
  EXPECT_EQ(lakes.steers[0].who, "user:kim");
  EXPECT_EQ(accepted.notes[0], "done");
  EXPECT_EQ(Record(id).spec.duration, Span{660});
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, Lasting(60))).code, "conflict");
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, {.queue = "other"})).code, "conflict");
}

// A lossy link may bring the end of the job before the answer to the order about it.
TEST_F(AlterTest, AnAnswerOfASiteThatComesAfterTheEndChangesNothing) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence fence = FenceOf(id);
  Run(lakes, fence);
  lakes.mute_steers = true;
  schemas::ClientMessage message{.number = MessageNumber{77}};
  message.body = AlterAct(id, Lasting(660));
  Turn({ClientSays{"kim", "terminal", std::move(message)}});
  Settle();
  ASSERT_EQ(lakes.steers.size(), 1u);
  End(lakes, fence, 0);
  const schemas::RequestRecord ended = Record(id);
  ASSERT_EQ(ended.state, RequestState::kEnded);
  Change(lakes, Fence{}, schemas::Steered{lakes.steers[0].order, true, "done"});
  EXPECT_EQ(Record(id), ended);
}

TEST_F(AlterTest, EachOfSeveralRunningJobsGetsItsOwnResult) {
  DialAll();
  const RequestId first = Submit(Spec({{"lakes"}}));
  const RequestId second = Submit(Spec({{"woods"}}));
  Run(Of("lakes"), FenceOf(first));
  Run(Of("woods"), FenceOf(second));
  schemas::Act act = AlterAct(first, Lasting(660));
  act.requests.push_back(second);
  const auto accepted = Acted("kim", act);
  EXPECT_EQ(accepted.notes, (std::vector<std::string>{"done", "done"}));
  EXPECT_EQ(Record(first).spec.duration, Span{660});
  EXPECT_EQ(Record(second).spec.duration, Span{660});
}

TEST_F(AlterTest, APartThatItsSiteDoesNotExtendIsARefusalWhateverTheOthersGot) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}, {"woods"}}));
  Run(Of("lakes"), FenceOf(id));
  Run(Of("woods"), FenceOf(id));
  Of("lakes").refuses_steers = true;
  const schemas::Refused refused = AlterRefused("kim", AlterAct(id, Lasting(660)));
  EXPECT_EQ(refused.code, "conflict");
  EXPECT_EQ(refused.message, "only in part: done; not done: refused");
  EXPECT_EQ(refused.changed, "done");
}

TEST_F(AlterTest, WhatRunsLongerIsInTheWayForLonger) {
  options_.ask_sites = 1;
  Start();
  DialAll();
  const auto fill = [this](const std::string& site, int64_t duration) {
    schemas::RequestSpec spec = Spec({{site}}, 4);
    spec.parts[0].chunks[0].count = 4;
    spec.duration = Span{duration};
    const RequestId id = Submit(spec);
    Run(Of(site), FenceOf(id));
    return id;
  };
  const RequestId id = fill("lakes", 600);
  fill("woods", 630);
  Acted("kim", AlterAct(id, Lasting(660)));
  // The one site that is asked is the one whose shadow has room first.
  Submit(Spec({{"lakes", "woods"}}, 4));
  EXPECT_EQ(core_->Attempts().back().members, std::vector<std::string>{"woods"});
}

TEST_F(AlterTest, NothingToChangeOthersJobsAndEndedOnesAreRefused) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, {})).code, "usage");
  EXPECT_NE(AlterRefused("kim", AlterAct(id, Lasting(600))).message.find("nothing to change"),
            std::string::npos);
  EXPECT_EQ(AlterRefused("ana", AlterAct(id, Lasting(60))).code, "denied");
  EXPECT_EQ(AlterRefused("kim", AlterAct(RequestId{99}, Lasting(60))).code, "not-found");
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, {.confirm = true})).code, "usage");
  schemas::PartAlteration third{.part = 3, .place = schemas::Place::kPack};
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, {.parts = {third}})).code, "usage");
  End(Of("lakes"), FenceOf(id), 0);
  EXPECT_NE(AlterRefused("kim", AlterAct(id, Lasting(60))).message.find("has ended"),
            std::string::npos);
}

TEST_F(AlterTest, AnArrayThatHasEndedStaysAsItEnded) {
  DialAll();
  auto spec = Spec({{"lakes"}});
  spec.array = schemas::ArraySpec{.first = 1, .last = 2};
  const RequestId array = Submit(spec);
  for (const uint64_t index : {1u, 2u}) End(Of("lakes"), FenceOf(array.element(index)), 0);
  ASSERT_EQ(Record(array).state, RequestState::kEnded);
  const size_t events = Record(array).events.size();
  EXPECT_NE(AlterRefused("kim", AlterAct(array, Lasting(60))).message.find("has ended"),
            std::string::npos);
  EXPECT_EQ(Record(array).events.size(), events);
  EXPECT_EQ(Record(array).spec.duration, Span{600});
}

TEST_F(AlterTest, ASiteThatCountersLeavesThePromiseAsItWas) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId id = Submit(Spec({{"lakes"}}));
  const Fence old = FenceOf(id);
  lakes.verdict = schemas::VerdictEntry{
      .kind = schemas::VerdictKind::kNever,
      .reason = schemas::Reason{.code = schemas::ReasonCode::kNode, .text = "no such node"}};
  const schemas::PartAlteration part{.chunks = {{.count = 2, .resources = {{"ncpus", 4}}}}};
  EXPECT_EQ(AlterRefused("kim", AlterAct(id, {.parts = {part}})).code, "never");
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Record(id).spec.parts[0].chunks[0].count, 1u);
  EXPECT_EQ(lakes.states.at(old), HoldState::kPermitted);
}

// ---- reservations

class ReservationTest : public AlterTest {
 protected:
  schemas::RequestSpec Reserve(std::vector<std::string> allow = {}) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.payload = {};
    spec.at = Instant{kBegin + 100};
    spec.reserves = schemas::ReservationSpec{.allow = std::move(allow)};
    return spec;
  }
  schemas::RequestSpec Inside(RequestId reservation) {
    schemas::RequestSpec spec = Spec({{}});
    spec.duration = Span{60};
    spec.inside = reservation;
    return spec;
  }
};

TEST_F(ReservationTest, IsAHoldThatReservesAndIsShownAsR) {
  DialAll();
  const RequestId id = Submit(Reserve({"ana"}));
  const schemas::HoldOrder& order = Of("lakes").orders.at(FenceOf(id));
  ASSERT_TRUE(order.reserves.has_value());
  EXPECT_EQ(order.reserves->allow, std::vector<std::string>{"ana"});
  const schemas::JobView view = Job(id);
  EXPECT_EQ(view.id, "R" + ToText(id));
  EXPECT_TRUE(view.reserves);
  EXPECT_EQ(view.parts[0].id, view.id + ".1");
}

TEST_F(ReservationTest, JobsInsideGoToItsSiteWithinItsTimeIfTheyMay) {
  DialAll();
  const RequestId reservation = Submit(Reserve({"@team"}));
  const RequestId inside = Submit(Inside(reservation));
  const schemas::HoldOrder& order = Of("lakes").orders.at(FenceOf(inside));
  EXPECT_EQ(order.inside, reservation);
  EXPECT_EQ(order.allowed.intervals().front().begin, Instant{kBegin + 100});
  EXPECT_EQ(order.allowed.intervals().back().end, Instant{kBegin + 100 + 600 - 60 + 1});
  EXPECT_EQ(Job(inside).reservation, "R" + ToText(reservation));
  const auto denied =
      RefusedBy(Client("ana", schemas::Submit{{.text = "other"}, Inside(reservation)}));
  EXPECT_EQ(denied.code, "denied");
  schemas::RequestSpec longer = Inside(reservation);
  longer.duration = Span{601};
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "long"}, longer})).code, "never");
  schemas::RequestSpec nowhere = Inside(RequestId{99});
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "none"}, nowhere})).code, "not-found");
}

TEST_F(ReservationTest, OpenedToOthersTheSiteIsTold) {
  DialAll();
  const RequestId id = Submit(Reserve());
  schemas::Alteration changes;
  changes.allow = schemas::Names{{"ana"}};
  Acted("kim", AlterAct(id, changes));
  ASSERT_EQ(Of("lakes").steers.size(), 1u);
  EXPECT_EQ(Of("lakes").steers[0].verb, schemas::SteerVerb::kShare);
  EXPECT_EQ(Of("lakes").steers[0].allow, std::vector<std::string>{"ana"});
  const auto answer = Client("ana", schemas::Submit{{.text = "in"}, Inside(id)});
  EXPECT_TRUE(std::holds_alternative<schemas::Accepted>(answer.body));
}

TEST_F(ReservationTest, AProvisionalOneIsGivenBackUnlessItIsConfirmed) {
  DialAll();
  schemas::RequestSpec spec = Reserve();
  spec.at = Instant{kBegin + 1000};
  spec.reserves->confirm_within = Span{60};
  const RequestId kept = Submit(spec);
  const RequestId lost = Submit(spec);
  schemas::Alteration confirm;
  confirm.confirm = true;
  Acted("kim", AlterAct(kept, confirm));
  Advance(61'000);
  EXPECT_EQ(Record(kept).state, RequestState::kPromised);
  EXPECT_EQ(Record(lost).state, RequestState::kEnded);
  EXPECT_EQ(Record(lost).outcome, Outcome::kCancelled);
}

TEST_F(ReservationTest, WithItsEndNothingInsideCanStartAnyMore) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  const RequestId reservation = Submit(Reserve());
  const RequestId inside = Submit(Inside(reservation));
  const Fence fence = FenceOf(inside);
  const schemas::ToClient answer = Client("kim", schemas::Cancel{{reservation}, true});
  EXPECT_TRUE(std::holds_alternative<schemas::Accepted>(answer.body));
  Become(lakes, fence, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kUser, {.site = "lakes"}, "user:kim"});
  Settle();
  Advance(1000);
  EXPECT_EQ(Record(inside).state, RequestState::kEnded);
  EXPECT_EQ(Record(inside).outcome, Outcome::kRefused);
}

TEST_F(ReservationTest, WithJobsInsideIsCancelledOnlyIfTheirPromisesMayBreak) {
  DialAll();
  const RequestId reservation = Submit(Reserve());
  const RequestId first = Submit(Inside(reservation));
  const RequestId second = Submit(Inside(reservation));
  Advance(101'000);
  Run(Of("lakes"), FenceOf(first));
  Settle();
  ASSERT_EQ(Record(first).state, RequestState::kRunning);
  const schemas::Refused refused = RefusedBy(Client("kim", schemas::Cancel{{reservation}}));
  EXPECT_EQ(refused.code, "conflict");
  EXPECT_EQ(refused.message, "this would break 1 promise inside and stop 1 job that runs there");
  EXPECT_EQ(refused.detail, ToText(second) + ", " + ToText(first));
  EXPECT_EQ(Record(reservation).state, RequestState::kPromised);

  schemas::ToClient answer = Client("kim", schemas::Cancel{{reservation}, false, true});
  const auto* tried = std::get_if<schemas::Accepted>(&answer.body);
  ASSERT_TRUE(tried != nullptr);
  ASSERT_EQ(tried->moves.size(), 2u);
  EXPECT_EQ(tried->moves[0].because, "reservation R" + ToText(reservation) + " cancelled");
  EXPECT_EQ(Record(reservation).state, RequestState::kPromised);

  // Jobs cancelled by the same command are not listed; if promises may break, nothing is refused.
  answer = Client("kim", schemas::Cancel{{first, second, reservation}, false, true});
  EXPECT_TRUE(std::get<schemas::Accepted>(answer.body).moves.empty());
  answer = Client("kim", schemas::Cancel{{reservation}, true});
  EXPECT_TRUE(std::holds_alternative<schemas::Accepted>(answer.body));
  EXPECT_EQ(Record(reservation).state, RequestState::kEnded);
}

TEST_F(ReservationTest, AreOfOnePartAndRunNothing) {
  DialAll();
  schemas::RequestSpec spec = Reserve();
  spec.payload.argv = {"true"};
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "a"}, spec})).code, "usage");
  spec = Reserve();
  spec.parts.push_back(spec.parts[0]);
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Submit{{.text = "b"}, spec})).code, "usage");
}

// ---- what is asked before nodes are drained

TEST_F(AlterTest, AHardDrainSaysWhatItWouldMoveAndAsks) {
  DialAll();
  FakeSite& lakes = Of("lakes");
  lakes.moves = {{.job = "42",
                  .before = Instant{kBegin + 10},
                  .after = Instant{kBegin + 970},
                  .because = "lakes/n1 drained"}};
  schemas::Act drain{.verb = schemas::ActVerb::kDrain, .nodes = {"lakes/n1"}};
  drain.hard = true;
  const schemas::Refused refused = AlterRefused("root", drain);
  EXPECT_EQ(refused.message, "this would move 1 promise, by up to 16m");
  EXPECT_EQ(refused.detail, "42");
  EXPECT_TRUE(lakes.steers.empty());
  schemas::Act tried = drain;
  tried.only_try = true;
  EXPECT_EQ(Acted("root", tried).moves.size(), 1u);
  EXPECT_TRUE(lakes.steers.empty());
  drain.may_move = true;
  Acted("root", drain);
  EXPECT_EQ(lakes.steers.size(), 1u);
}

}  // namespace
}  // namespace muster::meta
