// Re-choice: who is promised late goes where it is clearly earlier, and never loses the promise.
// scheduling.md section 4 (Re-choice while waiting), protocol.md section 5.

#include "meta/core_fixture.h"
#include "meta/search/move_gain.h"

namespace muster::meta {
namespace {

class RechoiceCore : public MetaCore {
 protected:
  RechoiceCore() { DialAll(); }

  // Promised at hills in hours; lakes is as late at first.
  RequestId Late(schemas::RequestClass of = schemas::RequestClass::kBatch) {
    Of("hills").not_before = Instant{kBegin + 8000};
    Of("lakes").not_before = Instant{kBegin + 9000};
    schemas::RequestSpec spec = Spec({{"hills", "lakes"}});
    spec.request_class = of;
    const RequestId id = Submit(spec);
    EXPECT_EQ(SiteOf(id), "hills");
    return id;
  }
  // Something ended at lakes: it has room from `from` on, and says that its plan is another.
  void MoreRoom(int64_t from) {
    TellRoom(from);
    Advance(65'000);
  }
  void TellRoom(int64_t from) {
    Of("lakes").not_before = Instant{kBegin + from};
    schemas::Heartbeat beat{.feed = Of("lakes").feed, .plan = PlanRevision{++plan_}};
    beat.capacity = Of("lakes").Machine();
    beat.capacity->plan = beat.plan;
    Say(Of("lakes"), beat);
    Settle();
  }
  std::string SiteOf(RequestId id) { return Job(id).parts[0].site.value_or(""); }
  Instant StartsBy(RequestId id) { return Job(id).figures.starts_by->at; }

  uint64_t plan_ = 1;
};

TEST_F(RechoiceCore, WhoeverIsClearlyEarlierElsewhereGoesThereAndIsTold) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  MoreRoom(2000);
  EXPECT_EQ(SiteOf(id), "lakes");
  EXPECT_EQ(StartsBy(id), Instant{kBegin + 2001}) << "the start and a second of slack";
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
  EXPECT_EQ(Of("hills").states[old], HoldState::kClosed) << "what it had was given back";
  const schemas::JobView job = Job(id);
  ASSERT_GE(job.history.size(), 2u);
  ASSERT_TRUE(job.history.back().cause.has_value());
  EXPECT_EQ(job.history.back().cause->code, schemas::CauseCode::kBackfilled);
  EXPECT_EQ(job.history.back().cause->subject.site, "lakes");
  EXPECT_EQ(Record(id).spec, Spec({{"hills", "lakes"}})) << "it asks for what it asked for";
}

TEST_F(RechoiceCore, NobodyGivesAPromiseUpForABound) {
  const RequestId id = Late();
  ASSERT_TRUE(Job(id).figures.starts_by->firm);
  Of("lakes").firm = false;
  MoreRoom(2000);
  EXPECT_EQ(SiteOf(id), "hills");
  Of("lakes").firm = true;
  MoreRoom(2000);
  EXPECT_EQ(SiteOf(id), "lakes");
}

TEST_F(RechoiceCore, ALittleEarlierIsNotWorthIt) {
  const RequestId id = Late();
  const uint32_t asked_here = Of("hills").proposals;
  const uint32_t asked_there = Of("lakes").proposals;
  MoreRoom(7500);  // less than 10 % of the wait
  EXPECT_EQ(SiteOf(id), "hills");
  EXPECT_GT(Of("lakes").proposals, asked_there);
  EXPECT_EQ(Of("hills").proposals, asked_here) << "where it is it moves up by itself";
  EXPECT_EQ(StartsBy(id), Instant{kBegin + 8001});
}

TEST_F(RechoiceCore, WhereTheOtherSiteDoesNotHoldItThePlaceIsKept) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  Of("lakes").mute_holds = true;
  MoreRoom(2000);
  EXPECT_EQ(SiteOf(id), "hills");
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Of("hills").states[old], HoldState::kPermitted);
  EXPECT_EQ(StartsBy(id), Instant{kBegin + 8001});
}

TEST_F(RechoiceCore, APlaceLostWhileTheOtherSiteIsAskedToHoldItIsFollowedByAnother) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  FakeSite& lakes = Of("lakes");
  lakes.mute_holds = true;
  Advance(65'000);
  TellRoom(2000);
  Advance(200);
  ASSERT_EQ(core_->Attempts().size(), 2u) << "the other place is being held";
  Become(Of("hills"), old, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "hills", .node = "n1"}, "site:hills"});
  Advance(6'000);
  lakes.mute_holds = false;
  Advance(60'000);
  EXPECT_EQ(Record(id).replacements, 1u);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_NE(FenceOf(id), old);
}

TEST_F(RechoiceCore, NobodysInteractiveTimeBeginsWhileTheyAreAtLunch) {
  const RequestId id = Late(schemas::RequestClass::kInteractive);
  MoreRoom(0);
  EXPECT_EQ(SiteOf(id), "lakes") << "where there is room at once, which is kept for later";
  const Instant told = Job(id).history.back().at.Floor();
  EXPECT_GE(StartsBy(id), told + Span{15 * 60});
  EXPECT_LT(StartsBy(id), told + Span{17 * 60});
  EXPECT_EQ(Of("lakes").orders[FenceOf(id)].start_notice, Span{15 * 60});
  EXPECT_GE(Of("lakes").orders[FenceOf(id)].earliest, told + Span{15 * 60})
      << "lakes may not move it up before it is told";
}

TEST_F(RechoiceCore, WhereAtOnceIsFineItGoesThereAtOnce) {
  Of("hills").not_before = Instant{kBegin + 8000};
  Of("lakes").not_before = Instant{kBegin + 9000};
  schemas::RequestSpec spec = Spec({{"hills", "lakes"}});
  spec.request_class = schemas::RequestClass::kInteractive;
  spec.start_notice = Span{0};
  const RequestId id = Submit(spec);
  MoreRoom(0);
  EXPECT_EQ(SiteOf(id), "lakes");
  EXPECT_LT(StartsBy(id), now_.wall.Floor() + Span{10});
}

TEST_F(RechoiceCore, APlaceLostIsNotFollowedByANearerOneThanThereIsNoticeOf) {
  const RequestId id = Late(schemas::RequestClass::kInteractive);
  Of("lakes").not_before = Instant{};
  Become(Of("hills"), FenceOf(id), HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "hills", .node = "n1"}, "site:hills"});
  Settle();
  Advance(1000);
  ASSERT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_EQ(SiteOf(id), "lakes");
  EXPECT_GE(StartsBy(id), now_.wall.Floor() + Span{15 * 60});
  EXPECT_LE(StartsBy(id), Instant{kBegin + 8001});
}

TEST_F(RechoiceCore, ASearchForAStartThatIsNotAtOnceBeginsAtMostOnceAMinute) {
  const RequestId id = Late();
  MoreRoom(8000);  // a pass in vain
  Of("lakes").not_before = Instant{kBegin + 2000};
  const uint32_t asked = Of("lakes").proposals;
  for (int i = 0; i < 10; ++i) {
    schemas::Heartbeat beat{.feed = Of("lakes").feed, .plan = PlanRevision{++plan_}};
    beat.capacity = Of("lakes").Machine();
    beat.capacity->plan = beat.plan;
    Say(Of("lakes"), beat);
    Settle();
    Advance(1000);
  }
  EXPECT_LE(Of("lakes").proposals, asked + 1);
  Advance(60'000);
  EXPECT_EQ(SiteOf(id), "lakes");
}

// Promised at hills after `seconds`; lakes is full for hours.
class AtOnceCore : public RechoiceCore {
 protected:
  RequestId Soon(int64_t seconds) {
    Of("hills").not_before = now_.wall.Floor() + Span{seconds};
    Of("lakes").not_before = Instant{kBegin + 9000};
    const RequestId id = Submit(Spec({{"hills", "lakes"}}));
    EXPECT_EQ(SiteOf(id), "hills");
    return id;
  }
  void RoomAtLakes() {
    TellRoom(0);
    Advance(2000);
  }
};

TEST_F(AtOnceCore, WhatStartsAtOnceIsWorthAnyGainAndItsOldPlaceIsGivenBackFirst) {
  const RequestId id = Soon(40);
  const Fence old = FenceOf(id);
  RoomAtLakes();
  EXPECT_EQ(SiteOf(id), "lakes");
  EXPECT_LT(StartsBy(id), now_.wall.Floor() + Span{5});
  EXPECT_EQ(Of("hills").states[old], HoldState::kClosed);
  const schemas::HoldOrder& order = Of("lakes").orders[FenceOf(id)];
  EXPECT_EQ(order.deadline_after, Span{60});
  EXPECT_EQ(order.parts.at(0).tail, Span{60}) << "its permit may come that late";
}

TEST_F(AtOnceCore, ASecondIsNotWorthIt) {
  const RequestId id = Soon(3);
  RoomAtLakes();
  EXPECT_EQ(SiteOf(id), "hills");
}

TEST_F(AtOnceCore, WhatHasStartedWhereItIsGoesOnThere) {
  const RequestId id = Soon(40);
  const Fence old = FenceOf(id);
  started_.insert({"hills", old});  // its site backfilled it, and has not said so yet
  RoomAtLakes();
  ASSERT_FALSE(Of("hills").releases.empty());
  EXPECT_TRUE(Of("hills").releases.back().unless_started);
  EXPECT_EQ(FenceOf(id), old) << "nobody knows yet that it was given back";
  PartIs(Of("hills"), old, 1, PartState::kRunning);
  Settle();
  Advance(3000);
  EXPECT_EQ(Job(id).state, RequestState::kRunning);
  EXPECT_EQ(FenceOf(id), old);
  EXPECT_EQ(Of("hills").states[old], HoldState::kPermitted);
  EXPECT_EQ(core_->Attempts().size(), 1u) << "the other place is given back";
}

TEST_F(AtOnceCore, WhatIsCancelledMeanwhileIsReleasedWhateverRuns) {
  const RequestId id = Soon(40);
  const Fence old = FenceOf(id);
  started_.insert({"hills", old});
  RoomAtLakes();
  Client("kim", schemas::Cancel{{id}});
  Settle();
  EXPECT_FALSE(Of("hills").releases.back().unless_started);
  EXPECT_EQ(Of("hills").states[old], HoldState::kClosed);
}

TEST(WorthGoing, IsWhatComesAtOnceElseFiveMinutesAndATenthOfTheWait) {
  const Request request{schemas::RequestRecord{}};
  const Instant now{0};
  const auto clear = [&](int64_t start) {
    return WorthGoing({}, request, Instant{start}, now, Gain::kClear);
  };
  EXPECT_EQ(clear(1000), (Interval{Instant{0}, Instant{701}}));
  EXPECT_EQ(clear(10'000), (Interval{Instant{0}, Instant{9001}}));
  EXPECT_EQ(clear(40), (Interval{Instant{0}, Instant{39}}));
  EXPECT_EQ(WorthGoing({}, request, Instant{10'000}, now, Gain::kAtOnce),
            (Interval{Instant{0}, Instant{61}}));
}

}  // namespace
}  // namespace muster::meta
