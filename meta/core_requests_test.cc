// When and how long requests run, through the whole core: what the validity of users, the horizon,
// durations and speeds of sites, and reservations lead to, from a client's message to the orders
// for sites. What each rule says is tested in meta/requests. OpenCCS Sect. 3 (Validity), 5.1 and 8;
// CCS Sect. 5; cli.md sections 2 (reserve) and 5.
#include <gmock/gmock.h>

#include "base/validity.h"
#include "meta/core_fixture.h"
#include "meta/turn/keys.h"

namespace muster::meta {
namespace {

using testing::HasSubstr;

// kBegin is 2023-11-14T22:13:20Z.
Validity Until(int day) {
  return {.kind = Validity::Kind::kBetween, .end = {.civil = {2023, 11, day, 0, 0, 0}}};
}
constexpr int64_t kMidnight = kBegin + 6400;  // of the 15th

class Members : public MetaCore {
 protected:
  Members() {
    options_.validities.users["kim"] = {Until(14), "until 2023-11-14"};
    Start();
  }
};

TEST_F(Members, NothingOfAUserStartsAfterTheirLastDay) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).allowed,
            IntervalSet({{Instant{kBegin}, Instant{kMidnight}}}))
      << "what its site may move it to as well";
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = Instant{kMidnight};
  const RequestId never = Submit(later);
  EXPECT_EQ(Record(never).state, RequestState::kWaiting);
  ASSERT_TRUE(Record(never).reason.has_value());
  EXPECT_EQ(Record(never).reason->text, "kim is valid until 2023-11-14");
  const schemas::Refused asked = RefusedBy(Client("kim", schemas::Ask{.request = later}));
  EXPECT_EQ(asked.message, "nothing of kim may start in its window");
}

TEST_F(Members, AfterTheirTimeTheySubmitNothingAndWhatIsPromisedStays) {
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  options_.validities.users["kim"] = {Until(13), "until 2023-11-13"};
  Turn({Reconfigured{.options = options_}});
  Settle();
  const schemas::Submit late{{.text = "late"}, Spec({{"lakes"}})};
  EXPECT_EQ(RefusedBy(Client("kim", late)).code, "denied");
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

TEST_F(Members, AFileThatIsReadAgainLetsThemGoOn) {
  DialAll();
  schemas::RequestSpec later = Spec({{"lakes"}});
  later.from = Instant{kMidnight};
  const RequestId id = Submit(later);
  ASSERT_EQ(Record(id).state, RequestState::kWaiting);
  options_.validities.users.clear();
  Turn({Reconfigured{.options = options_}});
  Settle();
  Advance(1'000);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
}

TEST_F(Members, OnlyTheirGroupsThatCountGoWithARequest) {
  options_.validities.users.clear();
  options_.validities.groups["course"] = {Until(13), "until 2023-11-13"};
  for (User& user : options_.users) user.groups = {"course", "staff"};
  Start();
  DialAll();
  const RequestId id = Submit(Spec({{"lakes"}}));
  EXPECT_EQ(Record(id).requester.groups, std::vector<std::string>{"staff"});
}

class Horizon : public MetaCore {
 protected:
  Horizon() {
    options_.horizon = Span{3600};
    Start();
    DialAll();
  }
  schemas::RequestSpec From(int64_t seconds) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.from = Instant{kBegin + seconds};
    return spec;
  }
};

TEST_F(Horizon, LetsWhatStartsBehindItWaitUntilItIsNear) {
  const RequestId near = Submit(From(3600));
  EXPECT_EQ(Record(near).state, RequestState::kPromised);
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(near)).allowed.intervals().back().end,
            Instant{kBegin + 3601})
      << "its site moves it no further either";
  const RequestId far = Submit(From(3900));
  EXPECT_EQ(Record(far).state, RequestState::kWaiting);
  EXPECT_TRUE(Of("lakes").orders.size() == 1) << "no site has been asked to hold anything for it";
  const std::optional<schemas::Reason> why = Job(far).figures.no_promise_reason;
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->code, schemas::ReasonCode::kHorizon);
  ASSERT_TRUE(why->until.has_value());
  EXPECT_GE(*why->until, Instant{kBegin + 300});
  EXPECT_LE(*why->until, Instant{kBegin + 302});
  Advance(299'000);
  EXPECT_EQ(Record(far).state, RequestState::kWaiting);
  Advance(5'000);
  EXPECT_EQ(Record(far).state, RequestState::kPromised);
}

TEST_F(Horizon, OfAnotherFileCounts) {
  const RequestId far = Submit(From(7200));
  EXPECT_EQ(Record(far).state, RequestState::kWaiting);
  options_.horizon = Span{86400};
  Turn({Reconfigured{options_, "", {}}});
  Settle();
  EXPECT_EQ(Record(far).state, RequestState::kPromised);
}

TEST_F(Horizon, IsSaidToWhoAsks) {
  const schemas::Refused asked = RefusedBy(Client("kim", schemas::Ask{From(7200)}));
  EXPECT_EQ(asked.code, "never");
  EXPECT_THAT(asked.detail, HasSubstr("at most 1h ahead"));
  schemas::Get slots{.kind = schemas::GetKind::kSlots};
  slots.spec = From(7200);
  EXPECT_THAT(RefusedBy(Client("kim", slots)).detail, HasSubstr("at most 1h ahead"));
}

TEST_F(Horizon, LeavesAPromiseAsItWasThatIsToGoBehindIt) {
  const RequestId id = Submit(From(600));
  const Fence old = FenceOf(id);
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.from = Instant{kBegin + 7200}};
  act.may_move = true;
  EXPECT_THAT(RefusedBy(Client("kim", act)).detail, HasSubstr("at most 1h ahead"));
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Record(id).spec.from, Instant{kBegin + 600});
}

TEST_F(Horizon, ABlockedRequestIsTriedAgainWhenTimeHasPassed) {
  FakeSite& lakes = Of("lakes");
  schemas::RequestSpec spec = Spec({{"lakes", "woods"}});
  Of("woods").cut = true;
  lakes.verdict = schemas::VerdictEntry{
      .kind = schemas::VerdictKind::kBlocked,
      .reason = schemas::Reason{.code = schemas::ReasonCode::kJob, .text = "job 9 until then"}};
  lakes.counter = IntervalSet::From(Instant{kBegin + 9000});
  const RequestId id = Submit(spec);
  Advance(1000);
  EXPECT_EQ(Record(id).state, RequestState::kWaiting);
  lakes.verdict.reset();
  Advance(610'000);
  EXPECT_EQ(Record(id).state, RequestState::kPromised) << "no plan changed, but time did";
}

class Durations : public MetaCore {
 protected:
  void DialWith(const std::string& name, std::vector<schemas::DefaultDuration> durations,
                std::vector<schemas::DefaultDuration> forced = {}) {
    FakeSite& site = Of(name);
    schemas::Capacity capacity = site.Machine();
    capacity.durations = std::move(durations);
    capacity.forced = std::move(forced);
    connected_ = true;
    Say(site,
        schemas::Hello{.incarnation = site.incarnation, .feed = site.feed, .capacity = capacity});
    Settle();
  }
  static schemas::RequestSpec Open(std::vector<std::string> sites) {
    schemas::RequestSpec spec = Spec({std::move(sites)});
    spec.duration = Span{0};
    return spec;
  }
};

TEST_F(Durations, AreToldInTheTimelineAndMakeNoOtherJobOfTheSameKey) {
  options_.duration = Span{1200};
  Start();
  DialAll();
  const schemas::Submit submit{{.text = "nightly"}, Open({"lakes"})};
  const auto first = std::get<schemas::Accepted>(Client("kim", submit).body);
  const auto second = std::get<schemas::Accepted>(Client("kim", submit).body);
  EXPECT_TRUE(second.repeated);
  EXPECT_EQ(second.requests, first.requests);
  EXPECT_EQ(Job(first.requests[0]).events[0].text, "accepted, on disk; lasts 20m by default");
}

TEST_F(Durations, ThatASiteInsistsOnReplaceWhatIsAskedForThere) {
  DialWith("lakes", {{"*", Span{600}}}, {{"*", Span{300}}, {"ana", Span{60}}});
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.duration = Span{7200};
  const RequestId id = Submit(spec);
  EXPECT_EQ(Record(id).spec.duration, Span{300});
  EXPECT_EQ(Of("lakes").orders.at(FenceOf(id)).parts[0].duration, Span{300});
  EXPECT_EQ(Job(id).events[0].text, "accepted, on disk; lasts 5m, as its sites insist");
}

TEST_F(Durations, ThatASiteInsistsOnOutrankAlterationsToo) {
  DialWith("lakes", {}, {{"*", Span{300}}});
  DialWith("woods", {});
  const RequestId id = Submit(Spec({{"lakes"}}));
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.duration = Span{1200}};
  EXPECT_THAT(RefusedBy(Client("kim", act)).message, HasSubstr("nothing to change"));
  EXPECT_EQ(Record(id).spec.duration, Span{300});
  act.changes->parts = {schemas::PartAlteration{.sites = schemas::Names{{"woods"}}}};
  act.may_move = true;
  Acted("kim", act);
  EXPECT_EQ(Record(id).spec.duration, Span{1200});
}

// hills does in 400 s what the reference does in 600, woods takes 1,200.
class SiteSpeeds : public MetaCore {
 protected:
  SiteSpeeds() {
    options_.terms = {{"hills", {.speed = 1500, .cost = 7}}, {"woods", {.speed = 500}}};
    Start();
    DialAll();
  }
  const schemas::HoldOrder& OrderAt(const std::string& site, RequestId id) {
    return Of(site).orders.at(FenceOf(id));
  }
  std::string SiteOf(RequestId id) { return Job(id).parts[0].site.value_or(""); }
};

TEST_F(SiteSpeeds, OfSitesThatStartTogetherTheOneThatEndsFirstIsTaken) {
  const RequestId id = Submit(Spec({{}}));
  EXPECT_EQ(SiteOf(id), "hills");
  EXPECT_EQ(OrderAt("hills", id).parts[0].duration, Span{400});
  EXPECT_EQ(Job(id).figures.ends_by, Job(id).figures.starts_by->at + Span{400});
  EXPECT_EQ(Record(id).spec.duration, Span{600}) << "it asks for what it asked for";
}

TEST_F(SiteSpeeds, EachMemberOfACoAllocationLastsAsLongAsItsSiteNeeds) {
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}, {"woods"}}));
  EXPECT_EQ(OrderAt("hills", id).parts[0].duration, Span{400});
  EXPECT_EQ(OrderAt("lakes", id).parts[0].duration, Span{600});
  EXPECT_EQ(OrderAt("woods", id).parts[0].duration, Span{1200});
  EXPECT_EQ(Job(id).figures.ends_by, Job(id).figures.starts_by->at + Span{1200});
}

TEST_F(SiteSpeeds, ADeadlineIsKeptAtTheSpeedOfThePlace) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  spec.deadline = Instant{kBegin + 1000};
  EXPECT_EQ(SiteOf(Submit(spec)), "lakes") << "woods would end after it";
  spec.parts[0].sites = {"woods"};
  spec.deadline = Instant{kBegin + 2000};
  EXPECT_EQ(SiteOf(Submit(spec)), "woods");
  spec.parts[0].sites = {"hills", "woods"};
  spec.deadline = Instant{kBegin + 500};
  EXPECT_EQ(SiteOf(Submit(spec)), "hills") << "the reference would need 600 s, hills needs 400";
}

TEST_F(SiteSpeeds, AnEarlierDeadlineIsKeptAtTheSpeedOfThePlaceThatIsThere) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  Of("lakes").not_before = Instant{kBegin + 5000};
  const RequestId id = Submit(spec);
  ASSERT_EQ(SiteOf(id), "woods");
  Of("lakes").not_before = {};
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}, .may_move = true};
  act.changes = schemas::Alteration{.deadline = Instant{kBegin + 1000}};
  Acted("kim", act);
  EXPECT_EQ(SiteOf(id), "lakes") << "woods would end after it";
}

TEST_F(SiteSpeeds, WhatOnlyASilentSiteIsFastEnoughForWaitsForThatSite) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  spec.deadline = Instant{kBegin + 1000};
  Of("lakes").cut = true;
  Advance(10'000);
  const RequestId id = Submit(spec);
  EXPECT_EQ(Job(id).state, RequestState::kWaiting);
  EXPECT_TRUE(Of("woods").orders.empty());
  Of("lakes").cut = false;
  Dial(Of("lakes"));
  Advance(5'000);
  EXPECT_EQ(SiteOf(id), "lakes");
}

TEST_F(SiteSpeeds, MoreTimeForWhatRunsIsToldInTheSitesOwn) {
  const RequestId id = Submit(Spec({{"hills"}}));
  Run(Of("hills"), FenceOf(id));
  ASSERT_EQ(Job(id).state, RequestState::kRunning);
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = {id}};
  act.changes = schemas::Alteration{.duration = Span{1200}};
  Acted("kim", act);
  ASSERT_EQ(Of("hills").steers.size(), 1u);
  EXPECT_EQ(Of("hills").steers[0].span, Span{400});
  EXPECT_EQ(Record(id).spec.duration, Span{1200});
}

// The nodes of woods need twice as long as the reference. Maui Sect. IV (node sets).
class NodeSpeeds : public MetaCore {
 protected:
  NodeSpeeds() {
    Start();
    Of("woods").node_speed = 500;
    DialAll();
  }
  std::string SiteOf(RequestId id) { return Job(id).parts[0].site.value_or(""); }
};

TEST_F(NodeSpeeds, ASiteIsAskedForTheDurationAndTellsWhatItsNodesMakeOfIt) {
  const RequestId id = Submit(Spec({{"woods"}}));
  EXPECT_EQ(Of("woods").orders.at(FenceOf(id)).parts[0].duration, Span{600});
  EXPECT_EQ(Job(id).figures.ends_by, Job(id).figures.starts_by->at + Span{1200});
  EXPECT_EQ(Job(id).parts[0].slower_s, Span{600});
}

TEST_F(NodeSpeeds, ADeadlineIsKeptOnTheSlowestNodes) {
  schemas::RequestSpec spec = Spec({{"woods", "lakes"}});
  spec.deadline = Instant{kBegin + 1000};
  EXPECT_EQ(SiteOf(Submit(spec)), "lakes") << "woods would end after it";
  spec.parts[0].sites = {"woods"};
  spec.deadline = Instant{kBegin + 2000};
  EXPECT_EQ(SiteOf(Submit(spec)), "woods");
}

TEST_F(NodeSpeeds, AReservationLastsByTheClock) {
  schemas::RequestSpec spec = Spec({{"woods"}});
  spec.payload = {};
  spec.reserves = schemas::ReservationSpec{};
  const RequestId id = Submit(spec);
  EXPECT_TRUE(Of("woods").orders.at(FenceOf(id)).parts[0].by_clock);
}

// Every hour, at its 20th minute; kBegin is 22:13:20.
constexpr schemas::Recurrence kHourly{.minutes = uint64_t{1} << 20,
                                      .hours = CronTimes::kAllHours,
                                      .days = CronTimes::kAllDays,
                                      .months = CronTimes::kAllMonths,
                                      .weekdays = CronTimes::kAllWeekdays};
constexpr int64_t kFirst = kBegin + 400;

class Reserving : public MetaCore {
 protected:
  Reserving() {
    options_.horizon = Span{4 * 3600};
    Start();
  }
  static schemas::RequestSpec Reserve(const std::vector<std::vector<std::string>>& sites) {
    schemas::RequestSpec spec = Spec(sites);
    spec.payload = {};
    spec.apart = sites.size() > 1;
    spec.reserves = schemas::ReservationSpec{};
    return spec;
  }
  static schemas::RequestSpec Standing() {
    schemas::RequestSpec spec = Reserve({{"lakes"}});
    spec.reserves->every = kHourly;
    return spec;
  }
  schemas::Refused SubmitRefused(const schemas::RequestSpec& spec) {
    return RefusedBy(Client("kim", schemas::Submit{.key = {.text = "r"}, .request = spec}));
  }
};

TEST_F(Reserving, PartsAtSitesOfTheirOwnArePreparedAndCommittedTogetherOrNotAtAll) {
  DialAll();
  const RequestId id = Submit(Reserve({{"hills"}, {"lakes"}}));
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  const Fence fence = FenceOf(id);
  for (const char* const site : {"hills", "lakes"}) {
    EXPECT_EQ(Of(site).orders.at(fence).stage, HoldState::kPrepared);
    EXPECT_TRUE(Of(site).orders.at(fence).reserves.has_value());
    EXPECT_EQ(Of(site).states.at(fence), HoldState::kCommitted);
    EXPECT_FALSE(Of(site).permits.contains(fence)) << "opens with the other, or not";
  }
  Of("lakes").mute_holds = true;
  const RequestId other = Submit(Reserve({{"hills"}, {"lakes"}}));
  Advance(30'000);
  EXPECT_NE(Record(other).state, RequestState::kPromised);
  for (const auto& [held, state] : Of("hills").states) {
    if (held != fence) EXPECT_EQ(state, HoldState::kClosed) << "none without the other";
  }
}

TEST_F(Reserving, WhatIsInsideGoesToItsSites) {
  DialAll();
  const RequestId id = Submit(Reserve({{"hills"}, {"lakes"}}));
  schemas::RequestSpec inside = Spec({{}, {}});
  inside.apart = true;
  inside.duration = Span{60};
  inside.inside = id;
  const RequestId job = Submit(inside);
  for (const schemas::PartSpec& part : Record(job).spec.parts) {
    EXPECT_EQ(part.sites, (std::vector<std::string>{"hills", "lakes"}));
  }
  inside.parts[0].sites = {"woods"};
  EXPECT_EQ(SubmitRefused(inside).message,
            "part 1 may not run at hills, lakes, where reservation R1 is");
}

TEST_F(Reserving, AStandingOneMakesItsTimesAsFarAsIsPlanned) {
  DialAll();
  const RequestId id = Submit(Standing());
  Settle();
  EXPECT_EQ(Record({2}).spec.at, Instant{kFirst});
  EXPECT_EQ(Record({5}).spec.at, Instant{kFirst + 10800});
  EXPECT_EQ(Record({2}).state, RequestState::kPromised);
  EXPECT_EQ(Record(id).state, RequestState::kWaiting);
  EXPECT_FALSE(Record(id).attempt.has_value()) << "it books nothing itself";
  const size_t before = store_.size();
  Start();  // another daemon makes none twice
  EXPECT_EQ(store_.size(), before);
  Advance(601'000);
  EXPECT_EQ(Record({6}).spec.at, Instant{kFirst + 14400});
}

TEST_F(Reserving, AStandingOneWhoseTimesNeverComeIsRefused) {
  schemas::RequestSpec spec = Standing();
  spec.reserves->every->hours = 0;
  EXPECT_EQ(SubmitRefused(spec).message, "--every: a time that never comes");
}

TEST_F(Reserving, ACancelledStandingOneGivesBackWhatHasNotBegun) {
  DialAll();
  const RequestId id = Submit(Standing());
  Settle();
  Client("kim", schemas::Cancel{{id}});
  Settle();
  Advance(2'000);
  for (uint64_t one = 1; one <= 5; ++one) {
    EXPECT_EQ(Record({one}).outcome, Outcome::kCancelled) << one;
  }
  Advance(601'000);
  EXPECT_FALSE(store_.contains(RequestKey({6}))) << "no more are made";
}

}  // namespace
}  // namespace muster::meta
