// The meta's core with several sites, with silent, lost and lying ones, and after restarts.
// protocol.md sections 3.2, 3.4, 3.6, 4 and 7.
#include "meta/core_fixture.h"
#include "verifier/site_link_meta.h"

namespace muster::meta {
namespace {

TEST_F(MetaCore, WithoutSitesAJobIsAcceptedAndWaitsWithTheReason) {
  const RequestId id = Submit(Spec({{"hills"}}));
  EXPECT_EQ(Job(id).figures.no_promise_reason->text, "hills has not been heard yet");
  DialAll();
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
}

TEST_F(MetaCore, ASilentSiteIsNamedWithTheTimeAndAskedAgainWhenItIsBack) {
  DialAll();
  Of("hills").cut = true;
  Advance(192'000);
  const RequestId id = Submit(Spec({{"hills"}}));
  EXPECT_EQ(Job(id).figures.no_promise_reason->text, "hills has been silent for 3m12s");
  EXPECT_EQ(RefusedBy(Client("kim", schemas::Ask{Spec({{"hills"}})})).message,
            "hills has not answered for 3m12s");
  Of("hills").cut = false;
  Advance(500);
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
}

TEST_F(MetaCore, ASiteWhoseDiskIsNearlyFullIsNamedAndAskedAgainWhenItHasRoom) {
  constexpr char kFull[] = "the disk of hills is nearly full; it takes no new work";
  DialAll();
  const RequestId running = Submit(Spec({{"hills"}}));
  Run(Of("hills"), FenceOf(running));
  Of("hills").disk_low = true;
  Advance(250);
  const RequestId id = Submit(Spec({{"hills"}}));
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  EXPECT_EQ(Job(id).figures.no_promise_reason->text, kFull);
  EXPECT_EQ(Job(id).figures.no_promise_reason->code, schemas::ReasonCode::kPolicy);
  const schemas::Refused refused = RefusedBy(Client("kim", schemas::Ask{Spec({{"hills"}})}));
  EXPECT_EQ(refused.code, "disk-full");
  EXPECT_EQ(refused.message, kFull);
  schemas::Get slots{.kind = schemas::GetKind::kSlots};
  slots.spec = Spec({{"hills"}});
  EXPECT_EQ(RefusedBy(Client("kim", slots)).code, "disk-full");
  EXPECT_EQ(Job(Submit(Spec({{"hills", "lakes"}}))).state, RequestState::kPromised);
  const auto offers =
      std::get<schemas::Rows>(Client("kim", schemas::Ask{Spec({{"hills", "woods"}})}).body).offers;
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[1].figures.no_promise_reason->text, kFull);
  End(Of("hills"), FenceOf(running), 0);
  EXPECT_EQ(Job(running).outcome, Outcome::kDone);
  Of("hills").disk_low = false;
  Advance(250);
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
}

TEST_F(MetaCore, ACoAllocationIsPreparedDecidedCommittedAndPassesTheBarrier) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}, {"woods"}}));
  EXPECT_EQ(Of("hills").proposals, 0u);
  schemas::JobView job = Job(id);
  EXPECT_EQ(job.state, RequestState::kPromised);
  // Not before now + lead; the figure is D.
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 30 + 90}));
  const Fence fence = FenceOf(id);
  for (FakeSite& site : sites_) EXPECT_EQ(site.states[fence], HoldState::kCommitted);
  Advance(1000);
  for (FakeSite& site : sites_) {
    EXPECT_TRUE(site.permits.empty());
    Ready(site, fence);
  }
  Settle();
  EXPECT_EQ(Job(id).state, RequestState::kStarting);
  for (FakeSite& site : sites_) {
    EXPECT_EQ(site.states[fence], HoldState::kPermitted);
    EXPECT_EQ(site.permits[fence].rendezvous,
              (std::vector<std::string>{"hills:1", "lakes:2", "woods:3"}));
    Run(site, fence);
  }
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
  for (FakeSite& site : sites_) End(site, fence, 0);
  EXPECT_EQ(Job(id).outcome, Outcome::kDone);
}

TEST_F(MetaCore, OneCounterReleasesAllAndTheNextTryMeetsAtTheCommonStart) {
  DialAll();
  Of("woods").not_before = Instant{kBegin + 1200};
  Of("woods").counter = IntervalSet::From(Instant{kBegin + 1200});
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}, {"woods"}}));
  EXPECT_EQ(Job(id).figures.starts_by->at, (Instant{kBegin + 1200 + 90}));
  EXPECT_EQ(Of("hills").releases.size(), 1u);
  EXPECT_EQ(Of("hills").proposals, 1u);
}

TEST_F(MetaCore, AMuteMemberIsGivenUpAfterAnswerWaitAndNothingStaysHeld) {
  DialAll();
  Of("woods").mute_holds = true;
  const RequestId id = Submit(Spec({{"hills"}, {"woods"}}));
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  Advance(5000);
  EXPECT_FALSE(Of("hills").releases.empty());
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  Of("woods").mute_holds = false;
  Advance(20'000);
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
}

TEST_F(MetaCore, AMemberLostBeforeThePermitIsReplacedBesideTheOldAttempt) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence first = FenceOf(id);
  Become(Of("lakes"), first, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "lakes"}, "site:lakes"});
  Settle();
  const Fence second = FenceOf(id);
  EXPECT_NE(first, second);
  EXPECT_EQ(Of("hills").orders[second].replaces, first);
  EXPECT_EQ(Of("hills").states[second], HoldState::kCommitted);
  EXPECT_EQ(Of("hills").states[first], HoldState::kClosed);
  const schemas::JobView job = Job(id);
  EXPECT_EQ(job.state, RequestState::kPromised);
  EXPECT_EQ(job.history.size(), 1u);  // the same start: the promise did not move
}

TEST_F(MetaCore, WithoutReadyAtTheEndOfThePermitWindowAllIsGivenBackAndPlacedAgain) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence fence = FenceOf(id);
  Ready(Of("hills"), fence);
  Advance(61'000);
  EXPECT_TRUE(Of("hills").permits.empty());
  EXPECT_EQ(Of("hills").states[fence], HoldState::kClosed);
  EXPECT_NE(FenceOf(id), fence);
  const schemas::JobView job = Job(id);
  EXPECT_EQ(job.state, RequestState::kPromised);
  EXPECT_GE(job.history.size(), 2u);
  ASSERT_TRUE(job.history[1].cause.has_value());
  EXPECT_EQ(job.history[1].cause->code, schemas::CauseCode::kNoPermit);
  const schemas::FigureChange& last = job.history.back();
  EXPECT_TRUE(last.figures.starts_by.has_value());
  EXPECT_EQ(last.cause, job.history[1].cause) << "a promise after a broken one carries its cause";
}

TEST_F(MetaCore, APartialStartIsReleasedCountedAndPlacedAgain) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence fence = FenceOf(id);
  Ready(Of("hills"), fence);
  Ready(Of("lakes"), fence);
  Settle();
  Run(Of("hills"), fence);
  Become(Of("lakes"), fence, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "lakes"}, "site:lakes"});
  Settle();
  EXPECT_EQ(Of("hills").states[fence], HoldState::kClosed);
  EXPECT_NE(FenceOf(id), fence);
  EXPECT_EQ(Record(id).replacements, 1u);
}

TEST_F(MetaCore, OneFailedPartEndsTheOthersUnlessToldToKeepGoing) {
  DialAll();
  for (const bool keep_going : {false, true}) {
    schemas::RequestSpec spec = Spec({{"hills"}, {"lakes"}});
    spec.keep_going = keep_going;
    const RequestId id = Submit(spec);
    const Fence fence = FenceOf(id);
    for (const char* name : {"hills", "lakes"}) Ready(Of(name), fence);
    Settle();
    for (const char* name : {"hills", "lakes"}) Run(Of(name), fence);
    End(Of("hills"), fence, 3);
    Settle();
    EXPECT_EQ(Of("lakes").states[fence] == HoldState::kClosed, !keep_going);
    if (keep_going) End(Of("lakes"), fence, 0);
    EXPECT_EQ(Job(id).outcome, Outcome::kFailed);
  }
}

TEST_F(MetaCore, ARestartReleasesWhatItHadNotDecidedAndPlacesAgain) {
  DialAll();
  Of("lakes").mute_holds = true;
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence held = Of("hills").orders.begin()->first;
  Of("lakes").mute_holds = false;
  to_sites_.clear();
  Start();
  DialAll();
  EXPECT_EQ(Of("hills").states[held], HoldState::kClosed);
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
  EXPECT_EQ(FenceOf(id).epoch, Epoch{2});
}

TEST_F(MetaCore, ARestartAdoptsACommittedSingleHoldWhoseDecisionWasLost) {
  DialAll();
  entropy_ = false;
  core_ = nullptr;
  Start();  // without secrets C4 cannot be written
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = Of("hills").orders.begin()->first;
  EXPECT_EQ(Of("hills").states[fence], HoldState::kCommitted);
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  entropy_ = true;
  to_sites_.clear();
  Start();
  Dial(Of("hills"));
  EXPECT_EQ(Of("hills").states[fence], HoldState::kPermitted);
  EXPECT_EQ(FenceOf(id), fence);
  EXPECT_EQ(Of("hills").orders.size(), 1u);
}

TEST_F(MetaCore, AHoldOfWhatARequestWasBeforeItWasAlteredIsNotAdopted) {
  DialAll();
  entropy_ = false;
  core_ = nullptr;
  Start();
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = Of("hills").orders.begin()->first;
  ASSERT_EQ(Of("hills").states[fence], HoldState::kCommitted);
  Of("hills").cut = true;  // it does not hear of the release
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.parts = {{.place = schemas::Place::kScatter}}};
  Acted("kim", act);
  entropy_ = true;
  to_sites_.clear();
  Start();
  Of("hills").cut = false;
  Dial(Of("hills"));
  Advance(1000);
  EXPECT_EQ(Of("hills").states[fence], HoldState::kClosed);
  ASSERT_NE(FenceOf(id), Fence{});
  EXPECT_EQ(Of("hills").orders.at(FenceOf(id)).parts[0].place, schemas::Place::kScatter);
}

// Its message was lost on the way, on a link that stayed.
TEST_F(MetaCore, AHoldThatNobodyNeedsIsToldToGoUntilItHasGone) {
  Start();
  DialAll();
  FakeSite& hills = Of("hills");
  const Fence stray{{1}, 7};  // of the life before, which never wrote of it
  hills.orders[stray] = {.fence = stray, .request = {99}, .members = {"hills", "woods"}};
  hills.loses_releases = true;
  Become(hills, stray, HoldState::kPrepared);
  Advance(20'000);
  EXPECT_EQ(hills.states[stray], HoldState::kPrepared);
  hills.loses_releases = false;
  Advance(7000);
  EXPECT_EQ(hills.states[stray], HoldState::kClosed);
  Advance(20'000);
  EXPECT_EQ(hills.releases.size(), 1u) << "it is not said again";
}

TEST_F(MetaCore, ARestartSaysDecidedAndPermittedOrdersAgain) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  const Fence fence = FenceOf(id);
  to_sites_.clear();
  Start();
  DialAll();
  for (const char* name : {"hills", "lakes"}) Ready(Of(name), fence);
  Advance(500);
  EXPECT_EQ(Of("hills").states[fence], HoldState::kPermitted);
  EXPECT_EQ(Job(id).state, RequestState::kStarting);
}

TEST_F(MetaCore, AStartMovedByItsSiteIsTheNewFigureWithItsCause) {
  DialAll();
  Of("hills").not_before = Instant{kBegin + 1000};
  const RequestId id = Submit(Spec({{"hills"}}));
  EXPECT_EQ(Job(id).figures.starts_by->at, (Instant{kBegin + 1001}));
  Change(Of("hills"), FenceOf(id),
         schemas::Moved{.old_start = Instant{kBegin + 1000},
                        .new_start = Instant{kBegin + 400},
                        .cause = {schemas::CauseCode::kBackfilled, {}, "site:hills"}});
  const schemas::JobView job = Job(id);
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 401}));
  ASSERT_EQ(job.history.size(), 2u);
  EXPECT_EQ(job.history[1].cause->code, schemas::CauseCode::kBackfilled);
}

TEST_F(MetaCore, AStartMovedByItsSiteWhileItWasGivenBackIsToldWhenItStartsAllTheSame) {
  DialAll();
  FakeSite& hills = Of("hills");
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = FenceOf(id);
  hills.cut = true;  // it does not hear of the release
  Acted("kim", {.verb = schemas::ActVerb::kPark, .requests = {id}});
  hills.cut = false;
  Change(hills, fence,
         schemas::Moved{.old_start = Instant{kBegin + 1},
                        .new_start = Instant{kBegin + 9},
                        .cause = {schemas::CauseCode::kSiteDown, {}, "site:hills"}});
  EXPECT_EQ(Record(id).history.size(), 1u);
  PartIs(hills, fence, 1, PartState::kRunning);
  const std::vector<schemas::FigureChange> history = Record(id).history;
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[1].figures.starts_by->at, (Instant{kBegin + 10}));
  EXPECT_EQ(history[1].cause->code, schemas::CauseCode::kSiteDown);
}

// A site that was away tells that it runs, and then that it began late.
TEST_F(MetaCore, AStartThatWasLateWhileItWasGivenBackIsToldWithItsCause) {
  DialAll();
  FakeSite& hills = Of("hills");
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = FenceOf(id);
  hills.cut = true;  // it does not hear of the release
  Acted("kim", {.verb = schemas::ActVerb::kPark, .requests = {id}});
  hills.cut = false;
  PartIs(hills, fence, 1, PartState::kRunning);
  Change(hills, fence,
         schemas::Moved{.old_start = Instant{kBegin + 1},
                        .new_start = Instant{kBegin + 9},
                        .cause = {schemas::CauseCode::kSiteDown, {}, "site:hills"}});
  const schemas::FigureChange last = Record(id).history.back();
  EXPECT_EQ(last.figures.starts_by->at, (Instant{kBegin + 10}));
  ASSERT_TRUE(last.cause.has_value());
  EXPECT_EQ(last.cause->code, schemas::CauseCode::kSiteDown);
}

TEST_F(MetaCore, AMoveThatOnlyAListingShowsIsToldWithTheCauseOnRecord) {
  DialAll();
  FakeSite& hills = Of("hills");
  hills.not_before = Instant{kBegin + 1000};
  const RequestId id = Submit(Spec({{"hills"}}));
  starts_[{"hills", FenceOf(id)}] = Instant{kBegin + 1200};
  hills.causes[FenceOf(id)] = {schemas::CauseCode::kOperator, {.site = "hills"}, "site:hills"};
  hills.feed.digest.bytes[0] ^= 1;  // of another history: all is listed
  Beat(hills);
  Settle();
  const schemas::JobView job = Job(id);
  EXPECT_EQ(job.figures.starts_by->at, (Instant{kBegin + 1201}));
  ASSERT_EQ(job.history.size(), 2u);
  EXPECT_EQ(job.history[1].cause->code, schemas::CauseCode::kOperator);
}

// A site whose store was set back, or that lies: protocol.md section 3.5 knows no such step.
TEST_F(MetaCore, WhatRanIsNotPromisedAgainBecauseAListingTakesItsStartBack) {
  DialAll();
  FakeSite& hills = Of("hills");
  const RequestId id = Submit(Spec({{"hills"}}));
  Run(hills, FenceOf(id));
  ASSERT_EQ(Job(id).state, RequestState::kRunning);
  hills.feed.digest.bytes[0] ^= 1;  // of another history: all is listed, and no part has started
  Beat(hills);
  Settle();
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
  Start();
  DialAll();
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
  End(hills, FenceOf(id), 0);
  EXPECT_EQ(Job(id).state, RequestState::kEnded);
}

// Whatever it was asked for, and though the feed agrees by then.
TEST_F(MetaCore, AListingThatIsLostIsAskedForAgain) {
  DialAll();
  FakeSite& hills = Of("hills");
  const auto state = [&] {
    const auto rows =
        std::get<schemas::Rows>(Client("kim", schemas::Get{.kind = schemas::GetKind::kSites}).body);
    return rows.sites[0].state;
  };
  hills.mute_listings = true;
  hills.feed.digest.bytes[0] ^= 1;
  Dial(hills);
  hills.feed.digest.bytes[0] ^= 1;
  EXPECT_EQ(state(), schemas::SiteState::kSyncing);
  hills.mute_listings = false;
  Advance(60000);
  EXPECT_EQ(state(), schemas::SiteState::kUp);
}

TEST_F(MetaCore, ARunningJobAtASilentSiteIsUnknownUntilTheSiteIsBack) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  const Fence fence = FenceOf(id);
  Run(Of("hills"), fence);
  Of("hills").cut = true;
  Advance(7000);
  EXPECT_EQ(Job(id).state, RequestState::kUnknown);
  End(Of("hills"), fence, 0);
  Of("hills").cut = false;
  Advance(3000);
  EXPECT_EQ(Job(id).outcome, Outcome::kDone);
}

// protocol.md section 3.5: until then it may still start, from then on nobody knows whether it did.
TEST_F(MetaCore, APermittedJobAtASilentSiteIsUnknownFromItsLastStart) {
  DialAll();
  const RequestId id = Submit(Spec({{"hills"}}));
  for (const char* name : {"hills", "lakes", "woods"}) Of(name).cut = true;
  Advance(7000);
  ASSERT_EQ(Job(id).state, RequestState::kPromised);
  ASSERT_EQ(core_->Attempts().size(), 1u);
  const Instant last = core_->Attempts()[0].permit->last_start;
  const int64_t pass = ToMoment(last).milliseconds - 1000 - now_.wall.milliseconds;
  now_.wall.milliseconds += pass;
  now_.boot.milliseconds += pass;
  Advance(250);
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
  Advance(2000);
  EXPECT_EQ(Job(id).state, RequestState::kUnknown);
  for (const char* name : {"hills", "lakes", "woods"}) Of(name).cut = false;
  Run(Of("hills"), FenceOf(id));
  Advance(3000);
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
}

TEST_F(MetaCore, NonsenseQuarantinesASiteAndHarmsNoOther) {
  DialAll();
  std::vector<Event> garbage(11, SiteGarbage{"hills", "no message"});
  Turn(garbage);
  const auto rows =
      std::get<schemas::Rows>(Client("kim", schemas::Get{.kind = schemas::GetKind::kSites}).body);
  EXPECT_EQ(rows.sites[0].state, schemas::SiteState::kQuarantined);
  EXPECT_EQ(rows.sites[1].state, schemas::SiteState::kUp);
  EXPECT_NE(Job(Submit(Spec({{}}))).parts[0].site, "hills");
}

TEST_F(MetaCore, AnOlderIncarnationIsRefused) {
  Of("hills").incarnation = Incarnation{5};
  DialAll();
  Of("hills").incarnation = Incarnation{4};
  Say(Of("hills"), schemas::Hello{.incarnation = Incarnation{4}});
  ASSERT_FALSE(to_sites_.empty());
  EXPECT_TRUE(std::holds_alternative<schemas::LinkRefused>(to_sites_.back().message.body));
  // The site drops what has expired, and then could not tell its operator why it is refused.
  EXPECT_GT(to_sites_.back().message.expires, now_.wall);
}

TEST_F(MetaCore, NewsOfHoldsASiteWasNeverAskedForIsRefusedWholeAndQuarantines) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  const schemas::RequestRecord before = Record(id);
  const schemas::Moved moved{.old_start = Instant{kBegin},
                             .new_start = Instant{kBegin + 9000},
                             .cause = {schemas::CauseCode::kOperator, {}, "site:hills"}};
  const Fence strange[] = {FenceOf(id), {{0}, 1}, {{99}, 1}, {FenceOf(id).epoch, 1000}};
  for (const Fence& fence : strange) {
    notes_.clear();
    const schemas::FeedPosition none;
    Say(Of("hills"), schemas::Report{none, {{Revision{1}, fence, moved}}});
    EXPECT_EQ(notes_.size(), 1u) << ToText(fence);
  }
  EXPECT_EQ(Record(id), before);
  for (int i = 0; i < 7; ++i) {
    Say(Of("hills"), schemas::Answers{{{.fence = FenceOf(id)}}});
  }
  EXPECT_EQ(Record(id), before);
  const auto rows =
      std::get<schemas::Rows>(Client("kim", schemas::Get{.kind = schemas::GetKind::kSites}).body);
  EXPECT_EQ(rows.sites[0].state, schemas::SiteState::kQuarantined);
  EXPECT_EQ(rows.sites[1].state, schemas::SiteState::kUp);
}

TEST_F(MetaCore, AHoldNeitherGoesBackNorIsGrantedAtAStartNobodyAllowed) {
  DialAll();
  schemas::RequestSpec spec = Spec({{"hills"}});
  spec.from = Instant{kBegin + 600};
  const RequestId id = Submit(spec);
  const Fence fence = FenceOf(id);
  EXPECT_EQ(Of("hills").states[fence], HoldState::kPermitted);
  const schemas::MirrorRecord mirror =
      std::get<schemas::MirrorRecord>(store_.at("mirror/hills/" + AttemptKeyText(fence).substr(8)));
  notes_.clear();
  Say(Of("hills"), schemas::Report{Of("hills").feed,
                                   {{Revision{Of("hills").feed.revision.value + 1}, fence,
                                     schemas::HoldChanged{.state = HoldState::kPrepared}}}});
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("went back"), std::string::npos);
  EXPECT_EQ(
      std::get<schemas::MirrorRecord>(store_.at("mirror/hills/" + AttemptKeyText(fence).substr(8))),
      mirror);

  Of("hills").mute_holds = true;  // it grants by hand
  const RequestId other = Submit(spec);
  const Fence asked = core_->Requests().empty() ? Fence{} : Fence{fence.epoch, fence.number + 1};
  notes_.clear();
  Say(Of("hills"), schemas::Report{Of("hills").feed,
                                   {{Revision{Of("hills").feed.revision.value + 1}, asked,
                                     schemas::HoldChanged{.state = HoldState::kCommitted,
                                                          .request = other,
                                                          .start = Instant{kBegin + 5}}}}});
  ASSERT_FALSE(notes_.empty());
  EXPECT_NE(notes_[0].find("not allowed"), std::string::npos);
  EXPECT_EQ(Job(other).state, RequestState::kWaiting);
}

TEST_F(MetaCore, ACapacityThatMakesNoSenseIsRefusedAndTheOldOneStays) {
  DialAll();
  const schemas::Capacity good = Of("hills").Machine();
  std::vector<schemas::Capacity> bad(8, good);
  bad[0].classes[0].per_node = {{"ncpus", -4}};
  bad[1].classes[0].per_node = {{"ncpus", int64_t{1} << 52}};
  bad[2].classes[0].up = 5;
  bad[3].profile.push_back(good.profile[0]);
  bad[4].profile[0].free = {};
  bad[5].profile[0].free = {{{"ncpus", 17}}};
  bad[6].turnover = Span{-1};
  bad[7].start_slack = Span{int64_t{1} << 39};
  for (schemas::Capacity& capacity : bad) {
    notes_.clear();
    capacity.plan = PlanRevision{2};
    Say(Of("hills"), schemas::Heartbeat{
                         .feed = Of("hills").feed, .plan = PlanRevision{2}, .capacity = capacity});
    EXPECT_EQ(notes_.size(), 1u);
    // It is not acknowledged, so an honest site says it again.
    EXPECT_EQ(std::get<schemas::Beat>(to_sites_.back().message.body).capacity, PlanRevision{1});
  }
  const auto rows =
      std::get<schemas::Rows>(Client("kim", schemas::Get{.kind = schemas::GetKind::kSites}).body);
  EXPECT_EQ(rows.sites[0].total, good.total);
  EXPECT_EQ(rows.sites[0].state, schemas::SiteState::kUp);
}

TEST_F(MetaCore, ASiteThatIsRefusedGoesSilentHoweverOftenItDials) {
  Of("hills").incarnation = Incarnation{2};
  DialAll();
  Of("hills").incarnation = Incarnation{1};  // it lost its store
  for (int i = 0; i < 14; ++i) {
    Dial(Of("hills"));
    Advance(500);
  }
  EXPECT_EQ(Job(Submit(Spec({{"hills"}}))).figures.no_promise_reason->text,
            "hills has been silent for 7s");
  Client("root",
         schemas::Act{.verb = schemas::ActVerb::kForget, .site = "hills", .may_move = true});
  Dial(Of("hills"));
  EXPECT_EQ(Job(Submit(Spec({{"hills"}}))).state, RequestState::kPromised);
}

TEST_F(MetaCore, ASiteThatFloodsIsQuarantinedAndHeardNoFurther) {
  DialAll();
  size_t answered = 0;
  for (uint32_t i = 0; i < verifier::kIdlePerMinute + 50; ++i) {
    to_sites_.clear();
    Beat(Of("hills"));
    answered += to_sites_.size();
  }
  EXPECT_LE(answered, verifier::kIdlePerMinute);
  const auto rows =
      std::get<schemas::Rows>(Client("kim", schemas::Get{.kind = schemas::GetKind::kSites}).body);
  EXPECT_EQ(rows.sites[0].state, schemas::SiteState::kQuarantined);
  EXPECT_EQ(Job(Submit(Spec({{"lakes"}}))).state, RequestState::kPromised);
}

// Limits of clients: one who asks too much is told so, another is served.

}  // namespace
}  // namespace muster::meta
