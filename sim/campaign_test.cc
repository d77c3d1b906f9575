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

CampaignResult ResultOfKept(const CampaignOptions& options) {
  CampaignResult result = RunCampaign(options);
  for (const std::string& violation : result.violations) ADD_FAILURE() << violation;
  EXPECT_EQ(result.violations.size(), 0u) << "again: " << ReplayCommand(options);
  // A request refused because its reservation has no place yet may be accepted as a later copy.
  EXPECT_GE(result.acknowledged + result.refused, options.requests)
      << "again: " << ReplayCommand(options);
  return result;
}

PathCounts ExpectKept(const CampaignOptions& options) { return ResultOfKept(options).path_counts; }

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

// Jobs of the sites' own users get other places, last longer and are resized, beside jobs of the
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

// Votes and pins change how blocks are packed; waiting requests move to sites that start earlier.
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

// Sites of different speeds: bookings, permits and runs have the length that the speed gives.
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

// Points and their changes order who waits; every promise and every move is judged as without them.
TEST(Campaign, WithPointsThatChangeEveryPromiseIsKept) {
  PathCounts sum;
  for (uint64_t seed = 5000; seed < 5000 + Runs(8); ++seed) {
    CampaignOptions options{.seed = seed,
                            .faults = kFaults[seed % 4],
                            .drains = seed % 2 == 0,
                            .reservations = seed % 3 == 0,
                            .rules = seed % 5 == 0,
                            .moves = seed % 2 == 1,
                            .policy = true};
    if (seed % 4 != 3) options.threshold = Span{seed % 4 == 0 ? 0 : 30};
    const PathCounts one = ExpectKept(options);
    sum.rechosen += one.rechosen;
    sum.displaced += one.displaced;
  }
  EXPECT_GT(sum.rechosen, 0u);
  EXPECT_GT(sum.displaced, 0u);
}

// Nodes of several speeds and parts that want alike ones: each is placed and booked as its set
// says, and none waits for nodes that its set does not need.
TEST(Campaign, WithNodeSetsEveryPartHasAlikeNodesForAsLongAsItIsBooked) {
  for (uint64_t seed = 5800; seed < 5800 + Runs(8); ++seed) {
    CampaignOptions options{.seed = seed,
                            .faults = kFaults[seed % 4],
                            .drains = seed % 2 == 0,
                            .reservations = seed % 3 == 0,
                            .rules = seed % 5 == 0,
                            .speeds = seed % 3 == 1,
                            .moves = seed % 2 == 1,
                            .sets = true};
    if (seed % 4 == 1) options.threshold = Span{30};
    ExpectKept(options);
  }
}

// Without faults almost nothing excuses a node that idles while a promised job could use it.
TEST(Campaign, OnSharedMachinesWhatIsPromisedIsKeptFreeOrMovedWithItsCause) {
  for (uint64_t i = 0; i < Runs(12); ++i) {
    CampaignOptions options{.seed = 9'100'300 + i,
                            .faults = i % 3 == 0 ? FaultKind::kNone : FaultKind::kAll,
                            .requests = 20,
                            .outside = true,
                            .rebuild_every = 500};
    options.drains = i % 4 == 1;
    options.reservations = i % 4 == 2;
    options.rules = i % 4 == 3;
    ExpectKept(options);
  }
}

TEST(Campaign, ASiteThatReadsItsConfigurationAgainForgetsNothing) {
  uint64_t reloads = 0;
  for (uint64_t i = 0; i < Runs(8); ++i) {
    CampaignOptions options{.seed = 9'400'000 + i,
                            .faults = i % 3 == 0 ? FaultKind::kNone : FaultKind::kAll,
                            .requests = 20,
                            .outside = i % 4 != 3,
                            .reloads = true,
                            .rebuild_every = 500};
    options.drains = i % 4 == 1;
    options.rules = i % 4 == 2;
    options.moves = i % 4 == 3;
    reloads += ResultOfKept(options).counts.reloads;
  }
  EXPECT_GT(reloads, 0u);
}

TEST(Campaign, InCalmRunsNoNodeIdlesThatAPromisedJobCouldHave) {
  IdleCounts sum;
  for (uint64_t seed = 1; seed <= Runs(8); ++seed) {
    const CampaignOptions options{.seed = seed,
                                  .faults = FaultKind::kNone,
                                  .reservations = seed % 4 == 1,
                                  .rules = seed % 4 == 2,
                                  .speeds = seed % 4 == 3,
                                  .sets = seed % 4 == 3,
                                  .shapes = seed % 4 == 0,
                                  .calm = true,
                                  .rebuild_every = 20};
    const CampaignResult result = RunCampaign(options);
    for (const std::string& violation : result.violations) {
      ADD_FAILURE() << violation << "\nagain: " << ReplayCommand(options);
    }
    sum += result.idle;
  }
  // The checker did look: it counted the waits that are allowed in calm runs.
  for (const IdleFor why :
       {IdleFor::kOwnWords, IdleFor::kUrgent, IdleFor::kLastMoments, IdleFor::kNoticed}) {
    EXPECT_GT(sum.times[static_cast<size_t>(why)], 0u) << ToText(why);
  }
  for (const IdleFor why : {IdleFor::kElsewhere, IdleFor::kBlocks, IdleFor::kFaults}) {
    EXPECT_EQ(sum.times[static_cast<size_t>(why)], 0u) << ToText(why);
  }
}

// Each of these runs found a fault once.
const CampaignOptions kBrokenOnce[] = {
    // A part whose start failed after a restart was planned with the gain of its fast nodes twice.
    {.seed = 5100014,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .sets = true,
     .policy = true},
    // A part for one switch was put on fast nodes below a higher one.
    {.seed = 119,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .sets = true},
    // An account's credits ended while a job that they were set aside for got another place.
    {.seed = 900001,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .policy = true},
    // Parts of a job have other lengths at other sites; the shortest counted under a limit on jobs.
    {.seed = 910005,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .speeds = true,
     .moves = true,
     .policy = true,
     .shapes = true},
    // An element that waits for its array's place slept on when one became free early.
    {.seed = 900013,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .policy = true},
    // A start failed and its booking moved later: nobody was told that its old place was free.
    {.seed = 107, .faults = FaultKind::kNone, .moves = true, .idle = IdleKinds{IdleKind::kHome}},
    // Two drains in one instant: the first moves a booking aside, the second moves it later.
    {.seed = 704035,
     .faults = FaultKind::kNone,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // A request got another place that nobody heard of in time, and then was altered once more.
    {.seed = 800094,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .moves = true},
    // A site has two holds of one reservation; the meta that made one of them forgot about it.
    {.seed = 804029,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // The listing that a returning meta had asked for was lost.
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
    // A part that began late was cancelled before its processes were gone.
    {.seed = 813100,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .reservations = true,
     .moves = true},
    // A job was to start earlier elsewhere; then its site moved it to now and lost its node.
    {.seed = 816073,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .shapes = true},
    // A move followed a shadow's guess again each second and passed over a site that had room.
    {.seed = 151003, .faults = FaultKind::kCrash, .shapes = true},
    // A site answered a late copy of an order to hold as stale although it had the hold. The meta
    // then told that site nothing any more.
    {.seed = 30017007,
     .faults = FaultKind::kLost,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // A reservation moved earlier: a job inside waited for a start after the reservation's end.
    {.seed = 31019003,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // A request sought its gap in shadows alone, which know neither rules nor shapes.
    {.seed = 30020006,
     .faults = FaultKind::kNone,
     .threshold = Span{0},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    {.seed = 30064001, .faults = FaultKind::kNone, .threshold = Span{30}, .shapes = true},
    // A job got a late gap because others waited, and stayed there when they waited no more.
    {.seed = 30052001, .faults = FaultKind::kNone, .threshold = Span{30}, .drains = true},
    // A job had two holds: the one that was to replace the other was more urgent and won a node.
    {.seed = 31077000,
     .faults = FaultKind::kLost,
     .threshold = Span{30},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A request that a site refused kept its room in the shadows while others looked for a gap.
    {.seed = 32033013, .faults = FaultKind::kLost, .threshold = Span{0}, .rules = true},
    // The gate of an array opened between the search for a start behind it and the order to hold.
    {.seed = 32068012, .faults = FaultKind::kNone, .threshold = Span{0}, .shapes = true},
    // The element that had its array's only place was to start later: the other elements claimed
    // that place again and again, and none was permitted.
    {.seed = 40073054,
     .faults = FaultKind::kLost,
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // Queued requests were not tried when a site's own users, or a drain, gave nodes back.
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
    // A site moved a job up, and no queued request looked at the place that the job had left. A
    // site did not hear that it is to release a hold of the meta's previous life.
    {.seed = 40034070, .faults = FaultKind::kCrash, .threshold = Span{0}, .rules = true},
    {.seed = 40031080, .faults = FaultKind::kAll, .threshold = Span{30}, .rules = true},
    // The window of a request that waited for its permit was over: the request was refused, and
    // then placed again, since its attempt was still there.
    {.seed = 51002003, .faults = FaultKind::kNone, .threshold = Span{0}, .moves = true},
    // A start was never confirmed. The later booking kept the length that the vain try had had.
    {.seed = 40008029, .threshold = Span{0}, .moves = true},
    // A rule kept a job from all sites for minutes, and each answer counted as a try. So at the
    // first refused hold the job gave up its search for half a minute.
    {.seed = 40032050, .threshold = Span{0}, .rules = true},
    // Sites that had refused a request at a far slot were asked only for starts behind that slot,
    // never for earlier ones.
    {.seed = 40025024, .faults = FaultKind::kLost, .rules = true},
    // A place being given back moved later while its site was away, and its job started after all.
    {.seed = 9031008, .faults = FaultKind::kCrash, .threshold = Span{30}, .rules = true},
    // The same, and the meta was started again before it heard of the rest.
    {.seed = 34079003,
     .faults = FaultKind::kAll,
     .threshold = Span{30},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A listing showed more than its feed position said, and the changes in between came later.
    {.seed = 10082000,
     .faults = FaultKind::kCrash,
     .threshold = Span{0},
     .speeds = true,
     .neighbours = true,
     .moves = true},
    // A running part got more sets. A soft limit does not bind them, as they begin at once.
    {.seed = 8102003,
     .faults = FaultKind::kLost,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // A job was moving to a site that moved its place up before the user was told of the place.
    {.seed = 8076003, .faults = FaultKind::kAll, .speeds = true, .neighbours = true, .moves = true},
    // A job was renamed while a replacement was sought for its place, which was lost in part.
    {.seed = 8003000, .faults = FaultKind::kCrash, .moves = true, .rebuild_every = 17},
    // A place being given back moved later, and then its job started earlier all the same.
    {.seed = 1024023,
     .faults = FaultKind::kAll,
     .threshold = Span{0},
     .reservations = true,
     .rebuild_every = 17},
    // Two nodes are lost in one instant: the booking had just moved from the first to the second.
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
    // An exclusive part grew and took one more node although its own nodes had room.
    {.seed = 821044,
     .faults = FaultKind::kCrash,
     .threshold = Span{30},
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // An exclusive part grew on its own nodes and exceeded a limit of its user.
    {.seed = 911005,
     .faults = FaultKind::kCrash,
     .threshold = Span{30},
     .speeds = true,
     .neighbours = true},
    // A cancelled job began all the same, late, while its site's daemon was down.
    {.seed = 1025025, .faults = FaultKind::kAll, .reservations = true, .moves = true},
    {.seed = 1030010, .faults = FaultKind::kCrash, .drains = true, .moves = true},
    // In one instant a part gives back what another gets.
    {.seed = 1130067, .faults = FaultKind::kCrash, .drains = true, .moves = true},
    // A job has two holds: a lost node drops one, and the other displaces other jobs.
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
    // A drain takes the place of a request that was altered and seeks another place.
    {.seed = 16, .faults = FaultKind::kNone, .drains = true, .moves = true},
    // Only a listing told of a move. A request was altered before its hold was adopted.
    {.seed = 17, .faults = FaultKind::kAll, .drains = true, .moves = true},
    // The driver was slow with a start while its daemon was down.
    {.seed = 58, .faults = FaultKind::kCrash, .drains = true, .moves = true},
    // A job inside of a reservation was due before the reservation's permit came.
    {.seed = 20, .faults = FaultKind::kLost, .reservations = true, .rules = true},
    // A reservation got another place, where the jobs inside did not fit all together.
    {.seed = 32,
     .faults = FaultKind::kLost,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true},
    // A job that needs its nodes alone was inside of a reservation that has only parts of them.
    {.seed = 17, .faults = FaultKind::kNone, .reservations = true, .moves = true},
    // A start inside of a reservation failed when the reservation had ended.
    {.seed = 50, .faults = FaultKind::kNone, .reservations = true, .moves = true},
    // An array element's hold was adopted although another element already had its place.
    {.seed = 214, .faults = FaultKind::kAll, .threshold = Span{30}},
    // A search for an altered request was given up. The next search did not know of its place.
    {.seed = 406, .faults = FaultKind::kAll, .threshold = Span{30}, .moves = true},
    // An altered request ended while another place was sought for it.
    {.seed = 40, .faults = FaultKind::kLost, .drains = true, .moves = true},
    // A site offered no earlier start to an element that waited for its array; the shadow saw none.
    {.seed = 415003073, .faults = FaultKind::kNone, .threshold = Span{0}, .moves = true},
    // A shadow kept showing a start that its site refused, and no other site was tried.
    {.seed = 415038040, .faults = FaultKind::kCrash, .threshold = Span{30}, .shapes = true},
    // A site's answer to an extension came after the end of the job that was extended.
    {.seed = 415064091, .faults = FaultKind::kLost, .moves = true},
    // A contended request slept for 30 s while nodes that it could use became free.
    {.seed = 415071023, .faults = FaultKind::kLost, .threshold = Span{30}, .rules = true},
    // A replacement was on its way while the site moved the hold to an earlier start than it has.
    {.seed = 7400013,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // What was sought only after an allocation's end kept it alive, until it was promised.
    {.seed = 7900006,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // A job lost its place, was held and released, and got another one beside a limit.
    {.seed = 7900016,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // A loan was paused and went on in one turn, and its driver was not told to let it go on.
    {.seed = 7970011,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // Of one allocation that had ended two amounts went in one turn, under one key.
    {.seed = 7970014,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // Whoever was due moved elsewhere in the turn in which lent work was recalled for it.
    {.seed = 7970024,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // What is lent counted as ever under a limit of the site, and for less long than it might stay.
    {.seed = 8200021,
     .faults = FaultKind::kAll,
     .requests = 40,
     .drains = true,
     .reservations = true,
     .rules = true,
     .moves = true,
     .lent = true,
     .policy = true},
    // Work with lent room alone had to wait for other lent work, and took its room.
    {.seed = 8250028,
     .faults = FaultKind::kAll,
     .requests = 40,
     .threshold = Span{30},
     .sets = true,
     .lent = true,
     .policy = true},
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
