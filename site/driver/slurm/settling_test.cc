// What is put right on a cluster, and how walls and jobs are shaped.
#include "site/driver/slurm/settling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "site/driver/slurm/shapes.h"

namespace muster::driver::slurm::settling_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant kNow{1'000'000};

Job JobOf(uint32_t id, const std::string& token, JobState state = JobState::kRunning) {
  return {.id = id, .name = "mu_AB_" + token, .state = state, .limit = Span{120}};
}
WantedReservation Wanted(const std::string& name) {
  return {.name = name,
          .when = {kNow + Span{100}, kNow + Span{200}},
          .nodes = {{"n1", 0}, {"n2", 3}},
          .users = {"ana"}};
}
Reservation As(const WantedReservation& wanted) {
  return {.name = wanted.name, .when = wanted.when, .nodes = wanted.nodes, .users = wanted.users};
}
Look LookWith(std::vector<Job> jobs, std::vector<Reservation> reservations = {}) {
  return {.at = ToMoment(kNow), .jobs = std::move(jobs), .reservations = std::move(reservations)};
}

TEST(SlurmSettling, NothingIsRemovedBeforeAllIsKnown) {
  const Look look = LookWith({JobOf(1, "x")}, {{.name = "mu_AB_9.9"}});
  EXPECT_EQ(Settle({.prefix = "mu_AB_"}, look), Settlement{});
  const Settlement settlement = Settle({.prefix = "mu_AB_", .complete = true}, look);
  EXPECT_THAT(settlement.kill, SizeIs(1));
  EXPECT_THAT(settlement.drop, ElementsAre("mu_AB_9.9"));
}

TEST(SlurmSettling, WhatIsOthersStays) {
  Job theirs = JobOf(1, "x");
  theirs.name = "x";
  const Look look = LookWith({theirs}, {{.name = "maint"}});
  EXPECT_EQ(Settle({.prefix = "mu_AB_", .complete = true}, look), Settlement{});
}

TEST(SlurmSettling, OfTwoJobsOfATokenTheOneGoesThatDoesNotHaveIt) {
  const Known known{.prefix = "mu_AB_", .tokens = {{"x", {.owner = 2, .begun = true}}}};
  const auto kill = Settle(known, LookWith({JobOf(1, "x"), JobOf(2, "x")})).kill;
  ASSERT_THAT(kill, SizeIs(1));
  EXPECT_EQ(kill[0].job, 1u);
}

TEST(SlurmSettling, AJobOfATokenThatIsOverOrWasRequeuedGoes) {
  Known known{.prefix = "mu_AB_", .tokens = {{"x", {.over = true}}}};
  EXPECT_THAT(Settle(known, LookWith({JobOf(1, "x", JobState::kPending)})).kill, SizeIs(1));
  EXPECT_THAT(Settle(known, LookWith({JobOf(1, "x", JobState::kCompleting)})).kill, IsEmpty());
  known.tokens = {{"x", {.owner = 1, .begun = true}}};
  EXPECT_THAT(Settle(known, LookWith({JobOf(1, "x", JobState::kPending)})).kill, SizeIs(1));
}

TEST(SlurmSettling, ALimitThatWasRaisedIsRestoredAndALoweredOneIsLeft) {
  Known known{.prefix = "mu_AB_", .tokens = {{"x", {.owner = 1, .minutes = 1}}}};
  EXPECT_THAT(Settle(known, LookWith({JobOf(1, "x")})).restore,
              ElementsAre(Settlement::Limit{.job = 1, .minutes = 1}));
  known.tokens["x"].minutes = 3;
  EXPECT_THAT(Settle(known, LookWith({JobOf(1, "x")})).restore, IsEmpty());
}

TEST(SlurmSettling, WallsAreAsAskedOrPutOrChanged) {
  Known known{.prefix = "mu_AB_", .complete = true};
  for (const std::string name : {"mu_AB_1", "mu_AB_2", "mu_AB_3"}) known.walls[name] = Wanted(name);
  Reservation other = As(Wanted("mu_AB_2"));
  other.nodes.pop_back();  // four were asked for and three are there, and all was said to be well
  const Settlement settlement = Settle(known, LookWith({}, {As(Wanted("mu_AB_1")), other}));
  EXPECT_THAT(settlement.put, ElementsAre("mu_AB_3"));
  EXPECT_THAT(settlement.change, ElementsAre("mu_AB_2"));
  EXPECT_THAT(settlement.drop, IsEmpty());
}

TEST(SlurmShapes, AWallIsAsAskedOnlyWithItsNodesCoresTimesAndUsers) {
  const WantedReservation wanted = Wanted("w");
  EXPECT_TRUE(IsAsAsked(As(wanted), wanted, kNow));
  for (const auto& change : std::vector<std::function<void(Reservation&)>>{
           [](Reservation& there) { there.users = {"ana", "eve"}; },
           [](Reservation& there) { there.nodes[1].cores = 2; },
           [](Reservation& there) { there.nodes[0].node = "n3"; },
           [](Reservation& there) { there.when.end = there.when.end + Span{1}; },
           [](Reservation& there) { there.when.begin = there.when.begin + Span{1}; }}) {
    Reservation there = As(wanted);
    change(there);
    EXPECT_FALSE(IsAsAsked(there, wanted, kNow));
  }
  Reservation begun = As(wanted);
  begun.when.begin = kNow - Span{5};
  WantedReservation now = wanted;
  now.when.begin = kNow;
  EXPECT_TRUE(IsAsAsked(begun, now, kNow));
  begun.when.end = begun.when.end + Span{60};
  EXPECT_FALSE(IsAsAsked(begun, now, kNow));
  EXPECT_TRUE(HasOnlyAnotherEnd(begun, now));
  begun.nodes[0].node = "n3";
  EXPECT_FALSE(HasOnlyAnotherEnd(begun, now));
}

TEST(SlurmShapes, HandsOverAsEarlyAsTheSchedulerNeeds) {
  EXPECT_EQ(StartAheadOf(""), Span{8});
  EXPECT_EQ(StartAheadOf("bf_interval=1,batch_sched_delay=0"), Span{3});
  EXPECT_EQ(StartAheadOf("defer,sched_interval=10"), Span{22});
  EXPECT_EQ(StartAheadOf("defer"), Span{29});
}

TEST(SlurmShapes, ALimitCoversTheWaitTheWalltimeAndTheGrace) {
  EXPECT_EQ(MinutesFor(Span{60}, Milliseconds(700), kNow, kNow - Span{4}), 2);
  EXPECT_EQ(MinutesFor(Span{30}, Milliseconds(700), kNow, kNow - Span{4}), 1);
  Look look = LookWith(
      {}, {{.name = "next", .when = {kNow + Span{130}, kNow + Span{900}}, .nodes = {{"n1", 0}}}});
  EXPECT_EQ(MinutesAtFirst(5, {{.node = "n1"}}, "", look, kNow), 2);
  EXPECT_EQ(MinutesAtFirst(5, {{.node = "n2"}}, "", look, kNow), 5);
  EXPECT_EQ(MinutesAtFirst(5, {{.node = "n1"}}, "next", look, kNow), 5);
}

TEST(SlurmShapes, APartLiesInTheCommonsOrOutsideOfIt) {
  Look look = LookWith({});
  look.nodes = {{.name = "n1", .cpus = 4, .threads_per_core = 2}, {.name = "n2", .cpus = 4}};
  look.partitions = {{.name = "main", .nodes = {"n1", "n2"}}};
  const Ground ground{.look = &look, .commons = {"n2"}};
  PutWall put{.wall = "w", .when = {kNow, kNow + Span{60}}};
  schemas::ChunkPlace first{.node = "n1"}, second{.node = "n2"};
  first.resources.Set("ncpus", 3);
  second.resources.Set("ncpus", 1);
  put.places = {{.chunks = {first}}, {.index = 2, .chunks = {second}}};
  const auto wanted = WallOf(put, ground, kNow);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  ASSERT_THAT(wanted->nodes, SizeIs(1));
  EXPECT_EQ(wanted->nodes[0].cores, 2);  // of two threads each
  EXPECT_EQ(wanted->partition, "main");
  put.places = {{.chunks = {first, second}}};
  EXPECT_FALSE(WallOf(put, ground, kNow).ok());
  put.places[0].chunks[1].node = "nowhere";
  EXPECT_FALSE(WallOf(put, ground, kNow).ok());
}

}  // namespace
}  // namespace muster::driver::slurm::settling_test
