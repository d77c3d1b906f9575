// Joint moves: a promised co-allocation gets earlier when all its sites offer it, and never loses
// its place. protocol.md sections 2 (offer) and 5 (meta, n > 1).

#include "meta/core_fixture.h"
#include "meta/requests/trials.h"

namespace muster::meta {
namespace {

class JointMovesCore : public MetaCore {
 protected:
  JointMovesCore() { DialAll(); }

  // A request with a part at each site, promised for kBegin + 8000.
  RequestId Late(schemas::RequestClass of = schemas::RequestClass::kBatch) {
    RoomFrom(8000);
    schemas::RequestSpec spec = Spec({{"hills"}, {"lakes"}});
    spec.request_class = of;
    const RequestId id = Submit(spec);
    Advance(1000);
    EXPECT_EQ(Job(id).state, RequestState::kPromised);
    EXPECT_EQ(StartOf(id), Instant{kBegin + 8000});
    return id;
  }
  void RoomFrom(int64_t from) {
    Of("hills").not_before = Instant{kBegin + from};
    Of("lakes").not_before = Instant{kBegin + from};
    for (const char* name : {"hills", "lakes"}) TellRoom(Of(name), from);
  }
  void TellRoom(FakeSite& site, int64_t from) {
    TellProfile(site,
                {{Instant{0}, {{{"ncpus", 0}}}}, {Instant{kBegin + from}, {{{"ncpus", 16}}}}});
  }
  void TellProfile(FakeSite& site, std::vector<schemas::ProfileStep> profile) {
    schemas::Heartbeat beat{.feed = site.feed, .plan = PlanRevision{++plan_}};
    beat.capacity = site.Machine();
    beat.capacity->plan = beat.plan;
    beat.capacity->profile = std::move(profile);
    site.plan = beat.plan;
    Say(site, beat);
    Settle();
  }
  void Offers(const std::string& site, const Fence& fence, int64_t from, int64_t until) {
    Of(site).not_before = Instant{kBegin + from};
    Say(Of(site),
        schemas::Offer{.fence = fence,
                       .starts = IntervalSet({{Instant{kBegin + from}, Instant{kBegin + until}}})});
    Settle();
    Advance(1100);  // offers of one moment start one pass
  }
  Instant StartOf(RequestId id) { return starts_[{"hills", FenceOf(id)}]; }

  uint64_t plan_ = 1;
};

TEST_F(JointMovesCore, WhatAllSitesOfferIsHeldBesideTheOldPlaceAndTakesItsRoom) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  Offers("hills", old, 2000, 8000);
  EXPECT_EQ(FenceOf(id), old) << "one site alone moves nothing";
  Offers("lakes", old, 3000, 8000);
  const Fence now = FenceOf(id);
  ASSERT_NE(now, old);
  for (const char* site : {"hills", "lakes"}) {
    EXPECT_EQ(Of(site).orders.at(now).replaces, old);
    EXPECT_EQ(Of(site).states.at(now), HoldState::kCommitted);
    EXPECT_EQ(Of(site).states.at(old), HoldState::kClosed);
    EXPECT_EQ(starts_.at({site, now}), Instant{kBegin + 3000}) << "the first that both offer";
  }
  const schemas::JobView job = Job(id);
  EXPECT_EQ(job.state, RequestState::kPromised);
  ASSERT_EQ(job.history.size(), 2u);
  EXPECT_LT(job.history[1].figures.starts_by->at, job.history[0].figures.starts_by->at);
  ASSERT_TRUE(job.history[1].cause.has_value());
  EXPECT_EQ(job.history[1].cause->code, schemas::CauseCode::kJoint);
  const std::vector<schemas::JobEvent> events = Record(id).events;
  EXPECT_TRUE(std::any_of(events.begin(), events.end(),
                          [](const auto& event) { return event.text == kStartsJointly; }));
  EXPECT_EQ(Record(id).replacements, 0u);
}

// Parts that ran together end together, but the meta hears of it from one site after the other.
TEST_F(JointMovesCore, WhatSitesGiveBackOneAfterTheOtherIsOneOccasion) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  Advance(3000);
  for (const char* site : {"hills", "lakes"}) {
    Of(site).not_before = Instant{kBegin + 2000};
    TellRoom(Of(site), 2000);
    Advance(10);
  }
  Advance(300);
  EXPECT_NE(FenceOf(id), old);
  EXPECT_LT(StartOf(id), Instant{kBegin + 2100});
}

// The shadows first show room at one site after the other, never at both.
TEST_F(JointMovesCore, WhereTheRoomOfSitesDoesNotMeetNobodyIsAsked) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  const uint32_t asked = Of("hills").proposals + Of("lakes").proposals;
  const auto room = [this](const char* site, int64_t from, int64_t until) {
    TellProfile(Of(site), {{Instant{0}, {{{"ncpus", 0}}}},
                           {Instant{kBegin + from}, {{{"ncpus", 16}}}},
                           {Instant{kBegin + until}, {{{"ncpus", 0}}}},
                           {Instant{kBegin + 8000}, {{{"ncpus", 16}}}}});
  };
  room("hills", 1100, 4000);
  room("lakes", 4000, 7000);
  Advance(3000);
  EXPECT_EQ(Of("hills").proposals + Of("lakes").proposals, asked);
  Of("hills").not_before = Of("lakes").not_before = Instant{kBegin + 4000};
  room("hills", 1100, 6000);
  Advance(3000);
  EXPECT_GT(Of("hills").proposals + Of("lakes").proposals, asked);
  EXPECT_NE(FenceOf(id), old) << "now both have room for a while";
}

// Nothing happens meanwhile that would begin a pass.
TEST_F(JointMovesCore, AStartThatIsALittleEarlierIsTakenWhenItIsNear) {
  RoomFrom(300);
  const RequestId id = Submit(Spec({{"hills"}, {"lakes"}}));
  Advance(1000);
  const Fence old = FenceOf(id);
  ASSERT_EQ(StartOf(id), Instant{kBegin + 300});
  RoomFrom(260);
  Advance(150'000);
  EXPECT_EQ(FenceOf(id), old) << "40 s are not worth a move yet";
  Advance(55'000);
  ASSERT_NE(FenceOf(id), old) << "it would start within a minute";
  EXPECT_EQ(StartOf(id), Instant{kBegin + 260});
}

TEST_F(JointMovesCore, OffersThatDoNotMeetOrAreALittleEarlierMoveNothing) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  Offers("hills", old, 2000, 3000);
  Of("hills").not_before = Instant{kBegin + 8000};  // that is all it has room for
  Offers("lakes", old, 3000, 8000);
  EXPECT_EQ(FenceOf(id), old) << "no common start";
  Offers("hills", old, 7900, 8000);
  Offers("lakes", old, 7900, 8000);
  EXPECT_EQ(FenceOf(id), old) << "less than a fiftieth of the wait";
  EXPECT_EQ(core_->Attempts().size(), 1u);
}

TEST_F(JointMovesCore, WhereOneSiteHasNoRoomAnyMoreThePlaceIsKept) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  Offers("hills", old, 2000, 8000);
  Of("lakes").counter = IntervalSet({{Instant{kBegin + 8000}, Instant{kBegin + 9000}}});
  Offers("lakes", old, 2000, 8000);
  EXPECT_EQ(FenceOf(id), old);
  for (const char* site : {"hills", "lakes"}) {
    EXPECT_EQ(Of(site).states.at(old), HoldState::kCommitted);
  }
  EXPECT_EQ(Job(id).state, RequestState::kPromised);
  EXPECT_EQ(core_->Attempts().size(), 1u) << "nothing stays held";
  // The earlier offers are used up; both sites must offer again.
  Offers("hills", old, 2000, 8000);
  EXPECT_EQ(FenceOf(id), old);
  Offers("lakes", old, 2000, 8000);
  EXPECT_NE(FenceOf(id), old);
}

TEST_F(JointMovesCore, APlaceLostWhileTheEarlierOneIsBeingHeldIsFollowedByAnother) {
  const RequestId id = Late();
  const Fence old = FenceOf(id);
  Of("lakes").mute_holds = true;
  Offers("hills", old, 2000, 8000);
  Offers("lakes", old, 2000, 8000);
  ASSERT_EQ(core_->Attempts().size(), 2u) << "the earlier place is being held";
  Become(Of("hills"), old, HoldState::kClosed, schemas::ClosedAs::kDropped,
         {schemas::CauseCode::kNodeLost, {.site = "hills", .node = "n1"}, "site:hills"});
  Advance(6'000);
  Of("lakes").mute_holds = false;
  Advance(60'000);
  EXPECT_EQ(Record(id).state, RequestState::kPromised);
  EXPECT_NE(FenceOf(id), old);
}

TEST_F(JointMovesCore, NobodysInteractiveTimeBeginsWhileTheyAreAtLunch) {
  const RequestId id = Late(schemas::RequestClass::kInteractive);
  const Fence old = FenceOf(id);
  Offers("hills", old, 300, 8000);
  Offers("lakes", old, 300, 8000);
  ASSERT_NE(FenceOf(id), old);
  EXPECT_GE(StartOf(id), now_.wall.Floor() + Span{15 * 60});
}

TEST_F(JointMovesCore, AnOfferForWhatASiteHasNoPartInIsNonsense) {
  const RequestId id = Late();
  const size_t before = notes_.size();
  Offers("woods", FenceOf(id), 2000, 8000);
  ASSERT_GT(notes_.size(), before);
  EXPECT_NE(notes_.back().find("an offer for what is not at this"), std::string::npos);
  // An offer for an attempt that has ended meanwhile is no nonsense.
  const size_t then = notes_.size();
  Offers("hills", Fence{{1}, 999}, 2000, 8000);
  EXPECT_EQ(notes_.size(), then);
}

}  // namespace
}  // namespace muster::meta
