// protocol.md section 3.5 and the waiting room.
#include "meta/requests/request_state.h"

#include <gtest/gtest.h>

#include "meta/waiting/waiting_room.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;
using schemas::RequestState;

std::optional<AttemptState> AttemptFrom(int i) {
  if (i == 0) return std::nullopt;
  return static_cast<AttemptState>(static_cast<int>(AttemptState::kDecided) + i - 1);
}

// The words of the page, asked of every combination.
TEST(RequestState, EveryCombinationOfFactsShowsTheStateOfThePage) {
  for (int attempt = 0; attempt <= 6; ++attempt) {
    for (int bits = 0; bits < 256; ++bits) {
      RequestFacts f;
      f.attempt = AttemptFrom(attempt);
      if (f.attempt && *f.attempt > AttemptState::kPartial) continue;
      if (bits & 1) f.outcome = schemas::Outcome::kDone;
      f.cancelling = bits & 2;
      f.parked = bits & 4;
      f.several = bits & 8;
      f.any_starting = bits & 16;
      f.all_started = bits & 32;
      f.unheard = bits & 64;
      f.undecidable = bits & 128;
      const RequestState shown = ShownState(f);
      const bool permitted = f.attempt && *f.attempt >= AttemptState::kPermitted;
      SCOPED_TRACE(testing::Message() << "attempt " << attempt << " bits " << bits);
      EXPECT_EQ(shown == RequestState::kEnded, f.outcome.has_value());
      if (f.outcome) continue;
      EXPECT_EQ(shown == RequestState::kCancelling, f.cancelling);
      if (f.cancelling) continue;
      EXPECT_EQ(shown == RequestState::kUnknown, f.undecidable || (permitted && f.unheard));
      if (shown == RequestState::kUnknown) continue;
      EXPECT_EQ(shown == RequestState::kWaiting || shown == RequestState::kParked, !f.attempt);
      EXPECT_EQ(shown == RequestState::kRunning, permitted && f.all_started);
      if (f.attempt && !permitted) {
        EXPECT_EQ(shown, RequestState::kPromised);
      }
      if (permitted && !f.all_started) {
        EXPECT_EQ(shown == RequestState::kStarting, f.several || f.any_starting);
      }
    }
  }
}

TEST(RequestState, EndedIsForeverAndCancellingOnlyEnds) {
  for (int to = 0; to <= static_cast<int>(RequestState::kEnded); ++to) {
    const RequestState s = static_cast<RequestState>(to);
    EXPECT_FALSE(MayFollow(RequestState::kEnded, s));
    EXPECT_EQ(MayFollow(RequestState::kCancelling, s), s == RequestState::kEnded);
  }
  EXPECT_FALSE(MayFollow(RequestState::kWaiting, RequestState::kRunning));
}

PartFacts Exit(int code, int64_t at = 0) {
  return {.end = {.by = schemas::EndedBy::kExit, .exit_code = code},
          .started = schemas::Started::kYes,
          .ended_at = Moment{at}};
}
PartFacts By(schemas::EndedBy by, int64_t at = 0) {
  return {.end = {.by = by}, .started = schemas::Started::kYes, .ended_at = Moment{at}};
}

TEST(Ending, AllExitZeroIsDoneEvenWhenACancelCameTooLate) {
  EXPECT_EQ(EndingOf({Exit(0), Exit(0)}, false, false), Ending::kDone);
  EXPECT_EQ(EndingOf({Exit(0)}, true, false), Ending::kDone);
  EXPECT_EQ(EndingOf({Exit(0), By(schemas::EndedBy::kRelease)}, true, false), Ending::kCancelled);
}

TEST(Ending, TheFirstBadPartSaysHow) {
  EXPECT_EQ(EndingOf({Exit(3, 10), By(schemas::EndedBy::kRelease, 11)}, false, false),
            Ending::kFailed);
  EXPECT_EQ(EndingOf({Exit(3, 20), By(schemas::EndedBy::kWalltime, 10)}, false, false),
            Ending::kTimeout);
}

TEST(Ending, NothingThatRanIsPlacedAgain) {
  EXPECT_EQ(EndingOf({{}, {}}, false, false), Ending::kAgain);
  EXPECT_EQ(EndingOf({By(schemas::EndedBy::kRelease), {}}, false, false), Ending::kAgain);
}

TEST(Ending, AnUnknownOutcomeIsPlacedAgainOnlyIfItMayRunTwice) {
  EXPECT_EQ(EndingOf({By(schemas::EndedBy::kUnknown)}, false, false), Ending::kUndecidable);
  EXPECT_EQ(EndingOf({By(schemas::EndedBy::kUnknown)}, false, true), Ending::kAgain);
  EXPECT_EQ(EndingOf({By(schemas::EndedBy::kUnknown)}, true, false), Ending::kCancelled);
}

TEST(WaitingRoom, TakesByQueueThenArrival) {
  WaitingRoom room;
  room.Ready({0, 0, RequestId{2}});
  room.Ready({0, 0, RequestId{1}});
  room.Ready({-8, 0, RequestId{3}});
  EXPECT_EQ(room.TakeReady()->id, RequestId{3});
  EXPECT_EQ(room.TakeReady()->id, RequestId{1});
  EXPECT_EQ(room.TakeReady()->id, RequestId{2});
  EXPECT_FALSE(room.TakeReady().has_value());
}

TEST(WaitingRoom, EachWaitsInOnePlace) {
  WaitingRoom room;
  const Rank rank{0, 0, RequestId{1}};
  room.Ready(rank);
  room.Sleep(rank, BootInstant{100});
  EXPECT_FALSE(room.HasReady());
  EXPECT_EQ(room.NextWake(), BootInstant{100});
  room.WakeDue(BootInstant{99});
  EXPECT_FALSE(room.HasReady());
  room.WakeDue(BootInstant{100});
  EXPECT_TRUE(room.HasReady());
  room.Stick(rank, WaitingRoom::StuckBy::kSilence);
  room.WakeStuck(false);
  EXPECT_FALSE(room.HasReady());
  room.WakeStuck(true);
  EXPECT_TRUE(room.HasReady());
  room.Remove(RequestId{1});
  EXPECT_EQ(room.size(), 0u);
}

TEST(WaitingRoom, WhoGainsPointsGoesFirstInItsQueueAndStaysWhereItWaits) {
  WaitingRoom room;
  for (uint64_t id : {1, 2, 3}) room.Ready({0, 0, {id}});
  room.Ready({-1, 0, {4}});
  EXPECT_FALSE(room.Reorder({0, -10, {3}}));
  room.Queue({0, -99, {9}}, {"lakes"});
  EXPECT_EQ(room.StandingOf({0, -10, {3}}).place, 1u) << "who waits for a block is no peer";
  EXPECT_EQ(room.StandingOf({0, -10, {3}}).before, std::nullopt) << "nor is the other queue";
  EXPECT_EQ(room.StandingOf({0, 0, {2}}).place, 3u);
  EXPECT_EQ(room.StandingOf({0, 0, {2}}).peers, 3u);
  EXPECT_EQ(room.StandingOf({0, 0, {1}}).before->id, RequestId{3});
  EXPECT_EQ(room.StandingOf({0, -20, {1}}).place, 1u) << "as it would stand";
  EXPECT_EQ(room.StandingOf({0, -99, {9}}).peers, 1u);
  room.Remove({9});
  for (uint64_t id : {4, 3, 1, 2}) EXPECT_EQ(room.TakeReady()->id, RequestId{id});

  room.Sleep({0, 0, {5}}, BootInstant{50});
  EXPECT_FALSE(room.Reorder({0, -1, {5}}));
  EXPECT_FALSE(room.HasReady()) << "it sleeps on";
  room.WakeDue(BootInstant{50});
  EXPECT_EQ(room.TakeReady(), (Rank{0, -1, {5}}));

  room.Queue({0, 0, {6}}, {"lakes"});
  EXPECT_TRUE(room.Reorder({0, -1, {6}}));
  EXPECT_FALSE(room.Reorder({0, -1, {6}})) << "nothing changed";
  EXPECT_EQ(room.queues().Block(9), (std::vector<Rank>{{0, -1, {6}}}));
  room.Remove({6});
  EXPECT_EQ(room.queues().size(), 0u);
}

// A pass over stuck requests goes by rank. Who moves ahead of it meanwhile is not forgotten, though
// nothing else may wake it again.
TEST(WaitingRoom, AStuckRequestThatMovesAheadOfARunningPassIsWokenAllTheSame) {
  WaitingRoom room;
  for (uint64_t id : {1, 2, 3}) room.Stick({0, 0, {id}}, WaitingRoom::StuckBy::kPlan);
  room.WakeStuck(false);
  EXPECT_EQ(room.TakeWoken()->id, RequestId{1});
  room.Reorder({0, -10, {3}});
  EXPECT_EQ(room.TakeWoken()->id, RequestId{2});
  EXPECT_TRUE(room.HasReady());
  EXPECT_EQ(room.TakeWoken()->id, RequestId{3});
  EXPECT_FALSE(room.TakeWoken().has_value());
  EXPECT_FALSE(room.HasReady());
}

// Those that the pass has handed out and that got stuck again are not handed out a second time.
TEST(WaitingRoom, ReorderingMakesNoPassEndless) {
  WaitingRoom room;
  for (uint64_t id : {1, 2, 3, 4}) room.Stick({0, 0, {id}}, WaitingRoom::StuckBy::kPlan);
  room.WakeStuck(false);
  std::vector<uint64_t> woken;
  for (int64_t points = -1; auto rank = room.TakeWoken(); --points) {
    woken.push_back(rank->id.value);
    room.Stick(*rank, WaitingRoom::StuckBy::kPlan);
    room.Reorder({0, points, {4}});
    ASSERT_LT(woken.size(), 9u);
  }
  EXPECT_EQ(woken, (std::vector<uint64_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace muster::meta
