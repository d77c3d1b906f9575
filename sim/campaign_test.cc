// The real cores in the virtual world keep every promise, without faults and with them.
#include "sim/campaign.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace muster::sim {
namespace {

constexpr FaultKind kFaults[] = {FaultKind::kNone, FaultKind::kLost, FaultKind::kCrash,
                                 FaultKind::kAll};

// MUSTER_SIM_RUNS widens the number of seeds.
uint64_t Runs(uint64_t usual) {
  const char* runs = std::getenv("MUSTER_SIM_RUNS");
  return runs == nullptr ? usual : std::strtoull(runs, nullptr, 10);
}

PathCounts ExpectKept(const CampaignOptions& options) {
  const CampaignResult result = RunCampaign(options);
  for (const std::string& violation : result.violations) ADD_FAILURE() << violation;
  EXPECT_EQ(result.violations.size(), 0u) << "again: " << ReplayCommand(options);
  // One that is refused as its reservation has no place yet may be taken as a later copy.
  EXPECT_GE(result.acknowledged + result.refused, options.requests)
      << "again: " << ReplayCommand(options);
  return result.path_counts;
}

TEST(Campaign, WithoutFaultsEveryPromiseIsKept) {
  for (uint64_t seed = 1; seed <= Runs(3); ++seed)
    ExpectKept({.seed = seed, .faults = FaultKind::kNone});
}

TEST(Campaign, LostDoubledAndReorderedMessagesBreakNoPromise) {
  for (uint64_t seed = 1; seed <= Runs(4); ++seed)
    ExpectKept({.seed = seed, .faults = FaultKind::kLost});
}

TEST(Campaign, CrashesAndRestartsBreakNoPromise) {
  for (uint64_t seed = 1; seed <= Runs(4); ++seed)
    ExpectKept({.seed = seed, .faults = FaultKind::kCrash});
}

TEST(Campaign, EverythingAtOnceBreaksNoPromise) {
  for (uint64_t seed = 1; seed <= Runs(6); ++seed)
    ExpectKept({.seed = seed, .faults = FaultKind::kAll});
}

TEST(Campaign, BlocksKeepEveryPromiseWhateverTheThreshold) {
  constexpr Span kThresholds[] = {{0}, {30}, {3600}};
  for (uint64_t seed = 1; seed <= Runs(8); ++seed) {
    ExpectKept({.seed = seed, .faults = kFaults[seed % 4], .threshold = kThresholds[seed % 3]});
  }
}

TEST(Campaign, ReservationsAndRulesOfSitesBreakNoPromise) {
  for (uint64_t seed = 1; seed <= Runs(6); ++seed) {
    ExpectKept({.seed = seed,
                .faults = kFaults[seed % 4],
                .drains = seed % 3 == 0,
                .reservations = seed % 3 != 1,
                .rules = seed % 3 != 2});
  }
}

TEST(Campaign, AlterationsLossesAndDisplacementBreakNoPromise) {
  PathCounts sum;
  std::vector<CampaignOptions> runs;
  for (const uint64_t seed : {1, 2, 4, 5, 7, 8}) {
    runs.push_back({.seed = seed,
                    .faults = kFaults[seed % 4],
                    .reservations = seed % 2 == 0,
                    .rules = seed % 5 == 0,
                    .moves = true});
  }
  for (const uint64_t seed : {3, 9}) {
    runs.push_back({.seed = seed, .faults = FaultKind::kCrash, .moves = true});
  }
  for (const CampaignOptions& options : runs) {
    const PathCounts one = ExpectKept(options);
    sum.altered += one.altered;
    sum.extended += one.extended;
    sum.resized += one.resized;
    sum.noticed += one.noticed;
    sum.lost += one.lost;
    sum.displaced += one.displaced;
    sum.opened += one.opened;
    sum.inside += one.inside;
  }
  EXPECT_GT(sum.altered, 0u);
  EXPECT_GT(sum.extended, 0u);
  EXPECT_GT(sum.resized, 0u);
  EXPECT_GT(sum.noticed, 0u);
  EXPECT_GT(sum.lost, 0u);
  EXPECT_GT(sum.displaced, 0u);
  EXPECT_GT(sum.opened, 0u);
  EXPECT_GT(sum.inside, 0u);
}

// Jobs of sites alone take other places, last longer and are resized beside those of the
// federation.
TEST(Campaign, AlterationsOfSitesOwnJobsBreakNoPromise) {
  PathCounts sum;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const PathCounts one = ExpectKept({.seed = seed,
                                       .faults = kFaults[seed % 4],
                                       .drains = true,
                                       .reservations = true,
                                       .rules = true,
                                       .neighbours = true,
                                       .moves = true});
    sum.altered_alone += one.altered_alone;
    sum.extended += one.extended;
  }
  EXPECT_GT(sum.altered_alone, 0u);
  EXPECT_GT(sum.extended, 0u);
}

// Blocks are packed by other votes and pins, and who waits goes where it is earlier.
TEST(Campaign, VotesPinsAndMovesToOtherSitesBreakNoPromise) {
  PathCounts sum;
  for (uint64_t seed = 1; seed <= Runs(8); ++seed) {
    CampaignOptions options{.seed = seed, .faults = kFaults[seed % 4], .moves = true};
    if (seed % 2 == 0) options.threshold = Span{30};
    const PathCounts one = ExpectKept(options);
    sum.rechosen += one.rechosen;
    sum.joint += one.joint;
    sum.switches += one.switches;
  }
  EXPECT_GT(sum.rechosen, 0u);
  EXPECT_GT(sum.joint, 0u);
  EXPECT_GT(sum.switches, 0u);
}

// Sites of different speeds: what is booked, permitted and run is of each site's own length.
TEST(Campaign, SitesThatAreNotEquallyFastBreakNoPromise) {
  PathCounts sum;
  for (uint64_t seed = 1; seed <= Runs(8); ++seed) {
    CampaignOptions options{.seed = seed,
                            .faults = kFaults[seed % 4],
                            .drains = seed % 2 == 0,
                            .reservations = seed % 3 == 0,
                            .moves = true};
    options.speeds = true;
    if (seed % 4 == 1) options.threshold = Span{30};
    sum.extended += ExpectKept(options).extended;
  }
  EXPECT_GT(sum.extended, 0u);
}

// Where nothing goes wrong next to nothing excuses a node that idles beside one who could have it.
TEST(Campaign, InCalmRunsNoNodeIdlesThatAPromisedJobCouldHave) {
  IdleCounts sum;
  for (uint64_t seed = 1; seed <= Runs(8); ++seed) {
    const CampaignOptions options{.seed = seed,
                                  .faults = FaultKind::kNone,
                                  .reservations = seed % 4 == 1,
                                  .rules = seed % 4 == 2,
                                  .speeds = seed % 4 == 3,
                                  .shapes = seed % 4 == 0,
                                  .calm = true,
                                  .rebuild_every = 20};
    const CampaignResult result = RunCampaign(options);
    for (const std::string& violation : result.violations) {
      ADD_FAILURE() << violation << "\nagain: " << ReplayCommand(options);
    }
    sum += result.idle;
  }
  // It looked, and saw the moments in which nodes are waited for.
  for (const IdleFor why :
       {IdleFor::kOwnWords, IdleFor::kUrgent, IdleFor::kLastMoments, IdleFor::kNoticed}) {
    EXPECT_GT(sum.times[static_cast<size_t>(why)], 0u) << ToText(why);
  }
  for (const IdleFor why : {IdleFor::kElsewhere, IdleFor::kBlocks, IdleFor::kFaults}) {
    EXPECT_EQ(sum.times[static_cast<size_t>(why)], 0u) << ToText(why);
  }
}

// Each of these found something once.
const CampaignOptions kBrokenOnce[] = {
    // A start failed and the booking got later: where it had been, nobody was told of.
    {.seed = 107, .faults = FaultKind::kNone, .moves = true, .idle = IdleKinds{IdleKind::kHome}},
    // Two drains in one instant: a booking is moved aside by the first and later by the second.
    {.seed = 704035,
     .faults = FaultKind::kNone,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // A place was swapped for one that nobody heard of in time: then it was altered once more.
    {.seed = 800094,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .moves = true},
    // A site has two holds of one reservation, one of them of a meta that forgot about it.
    {.seed = 804029,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // The listing was lost that a returning meta had asked for.
    {.seed = 806078, .faults = FaultKind::kAll, .drains = true, .moves = true},
    // A reservation is given back, and its nodes are asked for in the same turn.
    {.seed = 816116,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // What began late was cancelled before it was gone.
    {.seed = 813100,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .reservations = true,
     .moves = true},
    // It was to start earlier elsewhere when its site moved it to now and then lost its node.
    {.seed = 816073,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // A move followed the guess of a shadow, second after second, past a site that had room.
    {.seed = 151003, .faults = FaultKind::kCrash, .shapes = true},
    // A late copy of an order to hold was stale at a site that held: it was told nothing any
    // more.
    {.seed = 30017007,
     .faults = FaultKind::kLost,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // A reservation got earlier: who was inside waited for a start that was behind it.
    {.seed = 31019003,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // A gap was sought by shadows alone, which know neither rules nor shapes.
    {.seed = 30020006,
     .faults = FaultKind::kNone,
     .threshold = Span{0},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    {.seed = 30064001, .faults = FaultKind::kNone, .threshold = Span{30}, .shapes = true},
    // It got a late gap as others waited, and stayed there when they did no more.
    {.seed = 30052001, .faults = FaultKind::kNone, .threshold = Span{30}, .drains = true},
    // Of two holds of a job the one that shall replace the other was more urgent, and won a node.
    {.seed = 31077000,
     .faults = FaultKind::kLost,
     .threshold = Span{30},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // One that a site refused had the room in the shadows while those behind it looked for a gap.
    {.seed = 32033013, .faults = FaultKind::kLost, .threshold = Span{0}, .rules = true},
    // The gate of an array opened between the search for a start behind it and the order to hold.
    {.seed = 32068012, .faults = FaultKind::kNone, .threshold = Span{0}, .shapes = true},
    // An element with its array's only place was to start later: the others took that for theirs,
    // time and again, and none was permitted.
    {.seed = 40073054,
     .faults = FaultKind::kLost,
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // Who waited in a queue was not tried when a site's own users, or a drain, gave nodes back.
    {.seed = 40019035,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    {.seed = 40081058,
     .faults = FaultKind::kLost,
     .threshold = Span{0},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A site moved a job up, and nobody who waits in a queue looked for what it had; a site did
    // not hear that a hold of the meta's life before is to be released.
    {.seed = 40034070, .faults = FaultKind::kCrash, .threshold = Span{0}, .rules = true},
    {.seed = 40031080, .faults = FaultKind::kAll, .threshold = Span{30}, .rules = true},
    // The window of one that waited for its permit was over: it was refused, and then placed
    // again, since its attempt was still there.
    {.seed = 51002003, .faults = FaultKind::kNone, .threshold = Span{0}, .moves = true},
    // Its start was not confirmed in time, and it was booked later for as long as that had taken.
    {.seed = 40008029, .threshold = Span{0}, .moves = true},
    // A rule kept it from all sites for minutes, each answer counted as a try, and with the first
    // hold that was refused it gave up for half a minute.
    {.seed = 40032050, .threshold = Span{0}, .rules = true},
    // Its sites were asked behind the far slot at which they had refused it, and for nothing
    // else.
    {.seed = 40025024, .faults = FaultKind::kLost, .rules = true},
    // A place that was being given back got later while its site was away, and started after all.
    {.seed = 9031008, .faults = FaultKind::kCrash, .threshold = Span{30}, .rules = true},
    // The same, and the meta was started again before it heard of the rest.
    {.seed = 34079003,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A listing showed more than its position said, and the steps to it were told after it.
    {.seed = 10082000,
     .faults = FaultKind::kCrash,
     .threshold = Span{0},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A part that ran got more sets, which a soft limit leaves alone as they begin at once.
    {.seed = 8102003,
     .faults = FaultKind::kLost,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // The site that a job was going to moved its place up before its user was told of it.
    {.seed = 8076003, .faults = FaultKind::kAll, .speeds = true, .neighbours = true, .moves = true},
    // A job got another name while a place was sought instead of one that was lost in part.
    {.seed = 8003000, .faults = FaultKind::kCrash, .moves = true, .rebuild_every = 17},
    // A place was being given back when it moved later, and then started earlier all the same.
    {.seed = 1024023,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .reservations = true,
     .rebuild_every = 17},
    // Two nodes are lost in one instant: the second is what the first had been changed for.
    {.seed = 811034,
     .faults = FaultKind::kAll,
     .drains = true,
     .reservations = true,
     .rules = true,
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A reservation that was moved once ends, and inside of it a start has failed.
    {.seed = 805125,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // An exclusive part grew, and took a node more where its own had room.
    {.seed = 821044,
     .faults = FaultKind::kCrash,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // One grew on its own nodes, and beyond a limit of its user.
    {.seed = 911005,
     .faults = FaultKind::kCrash,
     .threshold = Span{30},
     .speeds = true,
     .neighbours = true},
    // Cancelled, it began all the same, late, while its site's daemon was down.
    {.seed = 1025025, .faults = FaultKind::kAll, .reservations = true, .moves = true},
    {.seed = 1030010, .faults = FaultKind::kCrash, .drains = true, .moves = true},
    // In one instant a part gives back what another gets.
    {.seed = 1130067, .faults = FaultKind::kCrash, .drains = true, .moves = true},
    // Of two holds of one job a lost node drops one; the other takes the place of others.
    {.seed = 1100079,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .moves = true},
    // The world ends while parts of a co-allocation are starting.
    {.seed = 500133, .faults = FaultKind::kNone, .drains = true, .moves = true},
    // A reservation is cancelled: what ran inside has its nodes until it is gone.
    {.seed = 18, .faults = FaultKind::kNone, .reservations = true},
    // A site is back in the last moment of its slack, which the driver needs.
    {.seed = 56, .faults = FaultKind::kCrash, .rules = true},
    // A reservation was extended before its site restarted: it is booked until its new end.
    {.seed = 6, .faults = FaultKind::kCrash, .drains = true, .reservations = true, .moves = true},
    // A drain takes the place of a request for which another is sought, as altered.
    {.seed = 16, .faults = FaultKind::kNone, .drains = true, .moves = true},
    // A listing was all that told of a move; a request was altered before its hold was adopted.
    {.seed = 17, .faults = FaultKind::kAll, .drains = true, .moves = true},
    // The driver was slow with a start while its daemon was down.
    {.seed = 58, .faults = FaultKind::kCrash, .drains = true, .moves = true},
    // A job inside of a reservation was due before the reservation's permit came.
    {.seed = 20, .faults = FaultKind::kLost, .reservations = true, .rules = true},
    // A reservation had another place: what was inside did not fit there together.
    {.seed = 32,
     .faults = FaultKind::kLost,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // What wants its nodes alone was inside of a reservation that has them in part.
    {.seed = 17, .faults = FaultKind::kNone, .reservations = true, .moves = true},
    // A start failed when the reservation that it was inside of had ended.
    {.seed = 50, .faults = FaultKind::kNone, .reservations = true, .moves = true},
    // An element was adopted when another one of its array had its place.
    {.seed = 214, .faults = FaultKind::kAll, .threshold = Span{30}},
    // A search for an altered request was given up: the next one knew nothing of its place.
    {.seed = 406, .faults = FaultKind::kAll, .threshold = Span{30}, .moves = true},
    // A request ended while another place was sought for it, as altered.
    {.seed = 40, .faults = FaultKind::kLost, .drains = true, .moves = true},
    // An element that waited for its array was offered no earlier start, and its shadow saw none.
    {.seed = 415003073, .faults = FaultKind::kNone, .threshold = Span{0}, .moves = true},
    // A shadow showed a start that its site refused, again and again, and no other site was tried.
    {.seed = 415038040, .faults = FaultKind::kCrash, .threshold = Span{30}, .shapes = true},
};

class Campaigns : public ::testing::TestWithParam<size_t> {};

TEST_P(Campaigns, WhatWasBrokenOnceIsKeptNow) { ExpectKept(kBrokenOnce[GetParam()]); }

INSTANTIATE_TEST_SUITE_P(Seed, Campaigns, ::testing::Range(size_t{0}, std::size(kBrokenOnce)),
                         [](const auto& run) {
                           return std::to_string(kBrokenOnce[run.param].seed) + "_" +
                                  std::to_string(run.param);
                         });

TEST(Campaign, ACrashAtEachPointOfASmallRunBreaksNoPromise) {
  CampaignOptions options{.seed = 5,
                          .faults = FaultKind::kNone,
                          .requests = 4,
                          .busy = Seconds(130),
                          .settle = Seconds(400),
                          .rebuild_every = 0};
  const uint64_t points = RunCampaign(options).counts.crash_points;
  EXPECT_GT(points, 100u);
  const uint64_t step = std::max<uint64_t>(1, points / Runs(60));
  for (uint64_t point = 1; point <= points; point += step) {
    options.crash_at = point;
    ExpectKept(options);
  }
}

TEST(Campaign, TheSameSeedGivesTheSameRun) {
  const CampaignOptions options{.seed = 11, .faults = FaultKind::kAll, .requests = 20};
  const CampaignResult first = RunCampaign(options);
  const CampaignResult second = RunCampaign(options);
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_EQ(first.counts.messages, second.counts.messages);
  EXPECT_EQ(first.counts.crash_points, second.counts.crash_points);
}

}  // namespace
}  // namespace muster::sim
