// The link of one site by itself: what is let in, what is refused, what a gap in the feed or a
// heartbeat leads to, and when a site is overdue. protocol.md sections 2, 3.4 and 6.
#include "meta/sites/links.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::SiteState;
using verifier::LinkEvent;

constexpr Now kStart{BootInstant{1000}, Moment{1'700'000'000'000}};

class Links : public testing::Test {
 protected:
  Links() {
    f_.options.federation = "test";
    f_.options.sites = f_.site_names = {"hills", "lakes"};
    f_.identity.Restore({.federation = "test", .epoch = Epoch{3}});
    f_.fences = verifier::FenceMint(Epoch{3});
    for (const std::string& name : f_.site_names) {
      f_.sites[name].name = name;
      f_.sites[name].mirror = verifier::Mirror(name);
    }
    Pass(BootSpan{0});
  }

  Site& hills() { return f_.sites.at("hills"); }
  // A new turn, this much later.
  void Pass(BootSpan span) {
    now_.boot = now_.boot + span;
    now_.wall.milliseconds += span.milliseconds;
    f_.clock.Update(now_);
    t_ = Turn{.now = now_, .plan = f_.clock.Read()};
  }
  // Says hello and is up.
  void Welcome(Site& site) {
    site.HearAs(Incarnation{5});
    site.connection = "link";
    site.link.Take(LinkEvent::kHello);
    site.link.Take(LinkEvent::kSynced);
    NoteHeard(t_, site);
  }
  SiteSays Says(decltype(schemas::ToMeta::body) body) const {
    SiteSays says{.site = "hills", .link = "link"};
    says.message.federation = "test";
    says.message.incarnation = Incarnation{5};
    says.message.number = MessageNumber{70};
    says.message.body = std::move(body);
    return says;
  }
  Admission AdmitAs(const SiteSays& says) { return Admit(f_, t_, hills(), says); }
  // What the meta asked the site to send again in this turn.
  std::vector<schemas::Resync> Resyncs() const {
    std::vector<schemas::Resync> out;
    for (const SiteMessage& message : t_.out.to_sites) {
      const auto* resync = std::get_if<schemas::Resync>(&message.message.body);
      if (resync) out.push_back(*resync);
    }
    return out;
  }
  static schemas::FeedPosition Position(uint64_t revision, uint8_t digest = 0) {
    schemas::FeedPosition position{.revision = Revision{revision}};
    position.digest.bytes[0] = digest;
    return position;
  }
  void Know(const schemas::FeedPosition& position) { hills().mirror.Restore(position); }
  // Stamps of a site whose clock is ahead by this much, at no distance.
  schemas::ClockStamps Ahead(int64_t milliseconds) const {
    const Moment there{t_.plan.milliseconds + milliseconds};
    return {.sent = there, .echoed = t_.plan, .received = there};
  }

  Now now_ = kStart;
  SitesLayer f_{kStart};
  Turn t_;
};

TEST_F(Links, AWelcomedSiteIsHeardOnItsConnection) {
  EXPECT_EQ(AdmitAs(Says(schemas::Heartbeat{})), Admission::kUnheard) << "before its hello";
  Welcome(hills());
  EXPECT_EQ(AdmitAs(Says(schemas::Heartbeat{})), Admission::kHeard);
  SiteSays older = Says(schemas::Heartbeat{});
  older.message.incarnation = Incarnation{4};
  EXPECT_EQ(AdmitAs(older), Admission::kUnheard);
  EXPECT_TRUE(t_.out.to_sites.empty());
}

TEST_F(Links, AHelloIsHeardOnAnyConnectionAndInAnyVersion) {
  Welcome(hills());
  SiteSays hello = Says(schemas::Hello{});
  hello.link = "another";
  hello.message.incarnation = Incarnation{6};
  hello.message.version = schemas::kProtocolVersion + 1;
  EXPECT_EQ(AdmitAs(hello), Admission::kHeard);
  SiteSays beat = Says(schemas::Heartbeat{});
  beat.message.version = schemas::kProtocolVersion + 1;
  EXPECT_EQ(AdmitAs(beat), Admission::kUnheard);
}

TEST_F(Links, ASiteOfAnotherFederationIsToldSoAndOneThatJoinsNeedNotKnowItsName) {
  SiteSays hello = Says(schemas::Hello{});
  hello.message.federation = "";
  EXPECT_EQ(AdmitAs(hello), Admission::kHeard);
  EXPECT_TRUE(t_.out.to_sites.empty());
  hello.message.federation = "other";
  EXPECT_EQ(AdmitAs(hello), Admission::kUnheard);
  ASSERT_EQ(t_.out.to_sites.size(), 1u);
  const auto& refused = std::get<schemas::LinkRefused>(t_.out.to_sites[0].message.body);
  EXPECT_EQ(refused.code, "federation");
  EXPECT_EQ(refused.message, "federation 'other'; this is 'test'");
  Welcome(hills());
  SiteSays beat = Says(schemas::Heartbeat{});
  beat.message.federation = "";
  EXPECT_EQ(AdmitAs(beat), Admission::kUnheard);
}

TEST_F(Links, AMessageThatExpiredIsNotHeard) {
  Welcome(hills());
  SiteSays beat = Says(schemas::Heartbeat{});
  beat.message.expires = t_.plan;
  EXPECT_EQ(AdmitAs(beat), Admission::kHeard);
  beat.message.expires.milliseconds -= 1;
  EXPECT_EQ(AdmitAs(beat), Admission::kUnheard);
  SiteSays hello = Says(schemas::Hello{});
  hello.message.expires = beat.message.expires;
  EXPECT_EQ(AdmitAs(hello), Admission::kUnheard);
}

TEST_F(Links, AHeartbeatThatExpiredShowsAClockThatIsOff) {
  Welcome(hills());
  SiteSays beat = Says(schemas::Heartbeat{.stamps = Ahead(-2001)});
  beat.message.expires = Moment{t_.plan.milliseconds - 1};
  EXPECT_EQ(AdmitAs(beat), Admission::kClockIsOff);
  beat.message.body = schemas::Heartbeat{.stamps = Ahead(-2000)};
  EXPECT_EQ(AdmitAs(beat), Admission::kUnheard);
  beat.message.body = schemas::Heartbeat{.stamps = Ahead(-2001)};
  beat.message.incarnation = Incarnation{4};
  EXPECT_EQ(AdmitAs(beat), Admission::kUnheard) << "an earlier daemon's";
}

TEST_F(Links, AFewMessagesFromAnotherConnectionAreLateAndMoreAreOfASecondDaemon) {
  Welcome(hills());
  SiteSays beat = Says(schemas::Heartbeat{});
  beat.link = "another";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(AdmitAs(beat), Admission::kUnheard) << i;
  EXPECT_EQ(AdmitAs(beat), Admission::kTwoDaemons);
}

TEST_F(Links, ARefusalReachesWhoAskedAndIsNotedAndDoesNotExpireAtOnce) {
  const SiteSays says = Says(schemas::Hello{});
  RefuseLink(f_, t_, says, Incarnation{4}, "incarnation", "it is too old");
  ASSERT_EQ(t_.out.to_sites.size(), 1u);
  const SiteMessage& out = t_.out.to_sites[0];
  EXPECT_EQ(out.site, "hills");
  EXPECT_EQ(out.link, "link");
  EXPECT_EQ(out.message.answers, MessageNumber{70});
  EXPECT_EQ(out.message.incarnation, Incarnation{4});
  EXPECT_EQ(out.message.federation, "test");
  EXPECT_EQ(out.message.epoch, Epoch{3});
  // The site drops what has expired, and then could not tell its operator why it is refused.
  EXPECT_GT(out.message.expires, t_.plan);
  EXPECT_EQ(std::get<schemas::LinkRefused>(out.message.body).code, "incarnation");
  EXPECT_EQ(t_.out.notes, std::vector<std::string>{"refused hills: it is too old"});
}

TEST_F(Links, ABeatAcknowledgesTheCapacityThatIsKeptAndTheFeedThatIsKnown) {
  Welcome(hills());
  Know(Position(9));
  hills().plan = PlanRevision{8};  // told, with a capacity that was refused
  hills().capacity = schemas::Capacity{.plan = PlanRevision{6}};
  SendBeat(f_, t_, hills(), MessageNumber{70});
  ASSERT_EQ(t_.out.to_sites.size(), 1u);
  const auto& beat = std::get<schemas::Beat>(t_.out.to_sites[0].message.body);
  EXPECT_EQ(beat.capacity, PlanRevision{6});
  EXPECT_EQ(beat.feed, Revision{9});
  EXPECT_EQ(t_.out.to_sites[0].message.answers, MessageNumber{70});
}

TEST_F(Links, StampsAreEchoedWithTheTimeTheyCame) {
  Welcome(hills());
  const schemas::ClockStamps stamps = Ahead(100);
  EXPECT_FALSE(TakeStamps(t_, hills(), stamps));
  const Moment came = t_.plan;
  Pass(Seconds(2));
  SendWelcome(f_, t_, hills(), {});
  ASSERT_EQ(t_.out.to_sites.size(), 1u);
  const auto& welcome = std::get<schemas::Welcome>(t_.out.to_sites[0].message.body);
  EXPECT_EQ(welcome.stamps,
            (schemas::ClockStamps{.sent = t_.plan, .echoed = stamps.sent, .received = came}));
}

TEST_F(Links, AClockThatIsOffIsNotedOnceAndByTooMuchIsSaid) {
  Welcome(hills());
  EXPECT_FALSE(TakeStamps(t_, hills(), {})) << "nothing is echoed yet";
  EXPECT_FALSE(TakeStamps(t_, hills(), Ahead(250)));
  EXPECT_TRUE(t_.out.notes.empty());
  EXPECT_FALSE(TakeStamps(t_, hills(), Ahead(251)));
  EXPECT_FALSE(TakeStamps(t_, hills(), Ahead(2000)));
  EXPECT_TRUE(TakeStamps(t_, hills(), Ahead(2001)));
  EXPECT_EQ(t_.out.notes.size(), 1u);
  EXPECT_FALSE(TakeStamps(t_, hills(), Ahead(0)));
  EXPECT_FALSE(TakeStamps(t_, hills(), Ahead(-251)));
  EXPECT_EQ(t_.out.notes.size(), 2u) << "it was right in between";
}

TEST_F(Links, AFeedThatAgreesIsNotAskedFor) {
  Welcome(hills());
  Know(Position(9, 1));
  CheckPosition(f_, t_, hills(), Position(9, 1));
  EXPECT_TRUE(t_.out.to_sites.empty());
  EXPECT_FALSE(hills().resync_all);
}

TEST_F(Links, ChangesInAGapAreAskedForOnceASecond) {
  Welcome(hills());
  Know(Position(9));
  CheckPosition(f_, t_, hills(), Position(12, 1));
  CheckPosition(f_, t_, hills(), Position(12, 1));
  ASSERT_EQ(Resyncs().size(), 1u);
  EXPECT_FALSE(Resyncs()[0].all);
  EXPECT_EQ(Resyncs()[0].from, Revision{9});
  Pass(schemas::kResyncApart - BootSpan{1});
  CheckPosition(f_, t_, hills(), Position(12, 1));
  EXPECT_TRUE(Resyncs().empty());
  Pass(BootSpan{1});
  CheckPosition(f_, t_, hills(), Position(12, 1));
  EXPECT_EQ(Resyncs().size(), 1u);
}

TEST_F(Links, AnotherHistoryOrAFeedThatWentBackIsListedWhole) {
  for (const schemas::FeedPosition& position : {Position(9, 2), Position(8, 1)}) {
    Pass(Seconds(10));
    hills() = Site();
    hills().name = "hills";
    Welcome(hills());
    Know(Position(9, 1));
    CheckPosition(f_, t_, hills(), position);
    ASSERT_EQ(Resyncs().size(), 1u);
    EXPECT_TRUE(Resyncs()[0].all);
    EXPECT_TRUE(hills().resync_all);
  }
}

TEST_F(Links, AListingThatIsLostIsAskedForAgainThoughTheFeedAgreesByThen) {
  Welcome(hills());
  AskListing(f_, t_, hills());
  AskListing(f_, t_, hills());
  EXPECT_EQ(Resyncs().size(), 1u) << "one is under way";
  Pass(schemas::kResyncApart - BootSpan{1});
  CheckPosition(f_, t_, hills(), Position(0));
  EXPECT_TRUE(Resyncs().empty());
  Pass(BootSpan{1});
  CheckPosition(f_, t_, hills(), Position(0));
  ASSERT_EQ(Resyncs().size(), 1u);
  EXPECT_TRUE(Resyncs()[0].all);
  EXPECT_TRUE(hills().resync_all);
}

TEST_F(Links, WhileAListingIsAwaitedChangesAreNotAskedForWithinTheSameSecond) {
  Welcome(hills());
  AskListing(f_, t_, hills());
  AskFrom(f_, t_, hills());
  EXPECT_EQ(Resyncs().size(), 1u);
}

TEST_F(Links, ASiteIsOverdueAfterThreeHeartbeatsAndOnlyOnce) {
  Welcome(hills());
  const BootSpan silence = f_.options.values.heartbeat * schemas::kMissedHeartbeats;
  Pass(silence - BootSpan{1});
  EXPECT_FALSE(IsOverdue(f_, hills(), t_.boot()));
  Pass(BootSpan{1});
  EXPECT_TRUE(IsOverdue(f_, hills(), t_.boot()));
  hills().link.Take(LinkEvent::kMissed);
  EXPECT_EQ(hills().link.state(), SiteState::kSilent);
  EXPECT_FALSE(IsOverdue(f_, hills(), t_.boot()));
}

TEST_F(Links, WhoWasNeverHeardOrIsQuarantinedIsNotOverdue) {
  Welcome(hills());
  hills().link.Take(LinkEvent::kOffence);
  Pass(Seconds(1000));
  EXPECT_FALSE(IsOverdue(f_, hills(), t_.boot()));
  EXPECT_FALSE(IsOverdue(f_, f_.sites.at("lakes"), t_.boot()));
}

TEST_F(Links, TheNextSilenceIsThatOfTheSiteHeardLongestAgo) {
  const BootSpan silence = f_.options.values.heartbeat * schemas::kMissedHeartbeats;
  Site& lakes = f_.sites.at("lakes");
  Welcome(hills());
  Pass(Seconds(1));
  Welcome(lakes);
  EXPECT_EQ(NextSilence(f_), kStart.boot + silence);
  NoteHeard(t_, hills());
  Pass(Seconds(1));
  NoteHeard(t_, lakes);
  EXPECT_EQ(NextSilence(f_), hills().heard_boot + silence);
}

TEST_F(Links, AfterAStartSitesHaveTheirTimeToDial) {
  EXPECT_EQ(NextSilence(f_), f_.started + kDialWait);
  for (auto& [name, site] : f_.sites) {
    EXPECT_FALSE(site.Silent());
    site.overdue = true;
    EXPECT_TRUE(site.Silent());
  }
  EXPECT_EQ(NextSilence(f_), std::nullopt);
}

TEST_F(Links, OnAnIdealLinkNobodyFallsSilent) {
  Welcome(hills());
  f_.options.values.heartbeat = BootSpan{0};
  EXPECT_TRUE(IsIdeal(f_.options.values));
  EXPECT_EQ(NextSilence(f_), std::nullopt);
}

TEST_F(Links, NothingIsSaidToASiteThatWasNotWelcomed) {
  AskFrom(f_, t_, hills());
  AskListing(f_, t_, hills());
  SendBeat(f_, t_, hills(), {});
  WelcomeAgain(f_, t_);
  EXPECT_TRUE(t_.out.to_sites.empty());
  Welcome(hills());
  WelcomeAgain(f_, t_);
  EXPECT_EQ(t_.out.to_sites.size(), 1u);
}

}  // namespace
}  // namespace muster::meta
