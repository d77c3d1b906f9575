// Each checker complains about the fault it is there for, planted by hand, and is silent without
// it.
#include <gtest/gtest.h>

#include "meta/requests/trials.h"
#include "sim/checkers/checker.h"

namespace muster::sim::checkers_test {
namespace {

using schemas::AttemptRecord;
using schemas::AttemptState;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::RequestRecord;

constexpr Fence kFirst{{1}, 1};
constexpr Fence kSecond{{1}, 2};
constexpr Moment kNow{1'000'000};

CheckedWorld OneNode() {
  site::Options site;
  site.name = "lakes";
  site.nodes = {{.name = "n1", .resources = {{"ncpus", 4}}}};
  return {.sites = {site}};
}

HoldRecord Hold(const Fence& fence, HoldState state, int64_t cpus = 4) {
  HoldRecord hold;
  hold.order.fence = fence;
  hold.order.request = {1};
  hold.order.parts = {{.index = 1, .duration = {100}}};
  hold.state = state;
  hold.start = {2000};
  hold.revision = {7};
  hold.parts = {
      {.index = 1, .place = {.index = 1, .chunks = {{"n1", ResourceSet{{"ncpus", cpus}}}}}}};
  return hold;
}
SiteWrites Of(const HoldRecord& hold) { return {{"hold/x", schemas::SiteRecord{hold}}}; }

RequestRecord Request(uint64_t id, const std::string& key) {
  return {.id = {id}, .requester = {.user = "kim"}, .key = {.text = key}};
}
MetaWrites Of(const RequestRecord& request) {
  return {{"request/" + std::to_string(request.id.value), schemas::MetaRecord{request}}};
}
MetaWrites Of(const AttemptRecord& attempt) {
  return {{"attempt/x", schemas::MetaRecord{attempt}}};
}
AttemptRecord Permitted(const Fence& fence) {
  return {.fence = fence,
          .request = {1},
          .state = AttemptState::kPermitted,
          .members = {"lakes"},
          .permit = schemas::Permit{.last_start = {3000}}};
}
schemas::FigureChange Promise(int64_t at) {
  return {.figures = {.starts_by = schemas::StartsBy{{at}, true}}};
}

TEST(Checkers, StartsSeesAPartWithoutAPermitAndADecisionBeforePrepared) {
  const auto silent = CheckStarts(OneNode());
  HoldRecord prepared = Hold(kFirst, HoldState::kPrepared);
  prepared.deadline = schemas::Deadline{};
  silent->OnSiteWrites(kNow, "lakes", Of(prepared));
  silent->OnMetaWrites(kNow, Of(Permitted(kFirst)));
  silent->OnPartStarted(kNow, "lakes", "1.1.1.1");
  EXPECT_TRUE(silent->violations().empty());
  silent->OnPartStarted(Moment{3'001'000}, "lakes", "1.1.1.1");  // after the last start
  EXPECT_EQ(silent->violations().size(), 1u);
  const auto checker = CheckStarts(OneNode());
  checker->OnPartStarted(kNow, "lakes", "1.1.1.1");
  EXPECT_EQ(checker->violations().size(), 1u);
  checker->OnMetaWrites(kNow, Of(Permitted(kFirst)));
  EXPECT_EQ(checker->violations().size(), 2u);
}

TEST(Checkers, CapacitySeesANodeBookedTwice) {
  const auto checker = CheckCapacity(OneNode());
  checker->OnSiteWrites(kNow, "lakes", Of(Hold(kFirst, HoldState::kCommitted, 3)));
  checker->OnSiteWrites(kNow, "lakes", Of(Hold(kSecond, HoldState::kCommitted, 1)));
  EXPECT_TRUE(checker->violations().empty());
  checker->OnSiteWrites(kNow, "lakes", Of(Hold(kSecond, HoldState::kCommitted, 2)));
  EXPECT_FALSE(checker->violations().empty());
}

TEST(Checkers, CapacityCountsAReservationAndItsJobsOnceAndWhatOutlivesItByItself) {
  const auto checker = CheckCapacity(OneNode());
  HoldRecord reservation = Hold(kFirst, HoldState::kPermitted, 4);
  reservation.order.reserves = schemas::ReservationSpec{};
  checker->OnSiteWrites(kNow, "lakes", Of(reservation));
  HoldRecord inside = Hold(kSecond, HoldState::kPermitted, 3);
  inside.order.inside = reservation.order.request;
  checker->OnSiteWrites(kNow, "lakes", Of(inside));
  reservation.state = HoldState::kClosed;
  checker->OnSiteWrites(kNow, "lakes", Of(reservation));
  EXPECT_TRUE(checker->violations().empty());
  HoldRecord other = Hold(Fence{{1}, 3}, HoldState::kPermitted, 2);
  other.order.request = {2};
  checker->OnSiteWrites(kNow, "lakes", Of(other));
  EXPECT_FALSE(checker->violations().empty());
}

TEST(Checkers, CapacityCountsAReplacingPairAsItsMaximum) {
  const auto checker = CheckCapacity(OneNode());
  checker->OnSiteWrites(kNow, "lakes", Of(Hold(kFirst, HoldState::kCommitted, 4)));
  HoldRecord replacing = Hold(kSecond, HoldState::kPrepared, 4);
  replacing.order.replaces = kFirst;
  checker->OnSiteWrites(kNow, "lakes", Of(replacing));
  EXPECT_TRUE(checker->violations().empty());
}

TEST(Checkers, PlansSeesANodeBookedTwiceAndAChunkThatIsNotWhole) {
  const auto wanting = [](const Fence& fence, int64_t cpus) {
    HoldRecord hold = Hold(fence, HoldState::kCommitted, cpus);
    hold.order.parts[0].chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}};
    return hold;
  };
  const auto checker = CheckPlans(OneNode());
  checker->OnSiteWrites(kNow, "lakes", Of(wanting(kFirst, 3)));
  HoldRecord replacing = wanting(kSecond, 4);
  replacing.order.replaces = kFirst;
  checker->OnSiteWrites(kNow, "lakes", Of(replacing));
  EXPECT_TRUE(checker->violations().empty()) << "one of a chain at most runs";
  checker->OnSiteWrites(kNow, "lakes", Of(wanting(Fence{{1}, 3}, 2)));
  EXPECT_EQ(checker->violations().size(), 1u);
  HoldRecord split = wanting(Fence{{1}, 3}, 1);
  split.order.parts[0].chunks[0].resources = {{"ncpus", 2}};
  split.start = {3000};
  checker->OnSiteWrites(kNow, "lakes", Of(split));
  EXPECT_EQ(checker->violations().size(), 2u);
}

TEST(Checkers, OthersSeesAPermitOfWhatWasHeldBefore) {
  for (const bool before : {false, true}) {
    const auto checker = CheckOthers(OneNode());
    RequestRecord request = Request(1, "k");
    request.parked = before;
    checker->OnMetaWrites(kNow, Of(request));
    request.parked = true;
    MetaWrites writes = Of(request);
    writes.push_back(Of(Permitted(kFirst)).front());
    checker->OnMetaWrites(kNow, writes);
    EXPECT_EQ(checker->violations().size(), before ? 1u : 0u);
  }
}

TEST(Checkers, OnceSeesOneKeyTwiceAndARemovedRequest) {
  const auto checker = CheckOnce(OneNode());
  checker->OnMetaWrites(kNow, Of(Request(1, "k")));
  EXPECT_TRUE(checker->violations().empty());
  checker->OnMetaWrites(kNow, Of(Request(2, "k")));
  EXPECT_EQ(checker->violations().size(), 1u);
  checker->OnMetaWrites(kNow, {{"request/1", std::nullopt}});
  EXPECT_EQ(checker->violations().size(), 2u);
}

TEST(Checkers, OnceSeesARequestThatRunsAsTwoOpenAttempts) {
  for (const bool closed : {true, false}) {
    const auto checker = CheckOnce(OneNode());
    checker->OnMetaWrites(kNow, Of(Request(1, "k")));
    checker->OnMetaWrites(kNow, Of(Permitted(kFirst)));
    checker->OnPartStarted(kNow, "lakes", "1.1.1.1");
    if (closed) checker->OnSiteWrites(kNow, "lakes", Of(Hold(kFirst, HoldState::kClosed)));
    checker->OnMetaWrites(kNow, Of(Permitted(kSecond)));
    checker->OnPartStarted(kNow, "lakes", "1.2.1.1");
    EXPECT_EQ(checker->violations().empty(), closed);
  }
}

TEST(Checkers, OnceSeesAnAcknowledgementBeforeTheWrite) {
  const auto checker = CheckOnce(OneNode());
  checker->OnClientTold(kNow, "kim", {.body = schemas::Accepted{.requests = {{1}}}});
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, DriverSeesATokenThatIsAskedForAndStartedByOneDaemonOrTwice) {
  using driver::FindParts;
  using driver::ForgetPart;
  using driver::StartPart;
  const auto run = [](const std::vector<std::variant<driver::Command, std::string>>& words) {
    const auto checker = CheckDriver(OneNode());
    for (const auto& word : words) {
      if (const auto* host = std::get_if<std::string>(&word)) {
        checker->OnCrash(kNow, *host);
      } else {
        checker->OnDriverCommand(kNow, "lakes", std::get<driver::Command>(word));
      }
    }
    return checker->violations().size();
  };
  const std::string crash = "lakes";
  const driver::Command none = FindParts{}, find = FindParts{{"1.1.1.1"}};
  const driver::Command start = StartPart{.token = "1.1.1.1"}, next = StartPart{.token = "1.1.1.2"};
  const driver::Command forget = ForgetPart{.token = "1.1.1.1"};
  EXPECT_EQ(run({none, start, crash, find, next, forget}), 0u);
  EXPECT_EQ(run({find, start}), 1u) << "the order in which a core once said it";
  EXPECT_EQ(run({none, start, find}), 1u);
  EXPECT_EQ(run({none, start, crash, find, find}), 1u);
  EXPECT_EQ(run({none, start, crash, none, start}), 1u);
  EXPECT_EQ(run({start}), 1u) << "before anything was asked for";
  EXPECT_EQ(run({none, start, crash, start}), 2u);
  EXPECT_EQ(run({none, start, crash, find, crash, find}), 0u);
  EXPECT_EQ(run({none, start, crash, "hills", find, start}), 2u) << "of another site's daemon";
  EXPECT_EQ(run({none, start, forget, crash, find}), 1u);
}

TEST(Checkers, DeadlinesSeesAPreparedHoldThatOutlivesItsD) {
  const auto checker = CheckDeadlines(OneNode());
  HoldRecord hold = Hold(kFirst, HoldState::kPrepared);
  hold.deadline = schemas::Deadline{.wall = {kNow.milliseconds + 10'000}};
  checker->OnSiteWrites(kNow, "lakes", Of(hold));
  checker->AtEnd(Moment{kNow.milliseconds + 10'000}, true);
  EXPECT_TRUE(checker->violations().empty());
  checker->AtEnd(Moment{kNow.milliseconds + 20'000}, true);
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, FencesSeesAClosedHoldThatLivesAgainAndAFallingEpoch) {
  const auto checker = CheckFences(OneNode());
  checker->OnSiteWrites(kNow, "lakes", Of(Hold(kFirst, HoldState::kClosed)));
  EXPECT_TRUE(checker->violations().empty());
  checker->OnSiteWrites(kNow, "lakes", Of(Hold(kFirst, HoldState::kPrepared)));
  EXPECT_EQ(checker->violations().size(), 1u);
  checker->OnSiteWrites(kNow, "lakes", {{"site", schemas::SiteIdentity{.epoch = {2}}}});
  checker->OnSiteWrites(kNow, "lakes", {{"site", schemas::SiteIdentity{.epoch = {1}}}});
  EXPECT_EQ(checker->violations().size(), 2u);
}

TEST(Checkers, PromisesSeesARiseWithoutACause) {
  RequestRecord request = Request(1, "k");
  request.history = {Promise(100), Promise(90)};
  const auto checker = CheckPromises(OneNode());
  checker->OnMetaWrites(kNow, Of(request));
  EXPECT_TRUE(checker->violations().empty());
  request.history.push_back(Promise(95));
  request.history.back().cause = schemas::Cause{.code = schemas::CauseCode::kNodeLost};
  checker->OnMetaWrites(kNow, Of(request));
  EXPECT_TRUE(checker->violations().empty());
  request.history.push_back(Promise(96));
  checker->OnMetaWrites(kNow, Of(request));
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, PromisesSeesAStartAfterTheFigure) {
  RequestRecord request = Request(1, "k");
  request.spec.parts.resize(1);
  request.history = {Promise(100)};
  const auto checker = CheckPromises(OneNode());
  checker->OnMetaWrites(kNow, Of(request));
  checker->OnMetaWrites(kNow, Of(Permitted(kFirst)));
  checker->OnPartStarted(Moment{101'000}, "lakes", "1.1.1.1");
  checker->AtEnd(kNow, true);
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, UsageSeesAChargeThatNobodyMeasured) {
  const auto checker = CheckUsage(OneNode());
  HoldRecord hold = Hold(kFirst, HoldState::kClosed);
  hold.parts[0].usage = {.elapsed = Seconds(5)};
  hold.parts[0].usage_final = true;
  checker->OnSiteWrites(kNow, "lakes", Of(hold));
  schemas::MirrorRecord mirror{.site = "lakes", .fence = kFirst};
  mirror.parts = {{.index = 1, .usage = {.elapsed = Seconds(5)}, .usage_final = true}};
  checker->OnMetaWrites(kNow, {{"mirror/x", schemas::MetaRecord{mirror}}});
  EXPECT_TRUE(checker->violations().empty());
  mirror.parts[0].usage.elapsed = Seconds(6);
  checker->OnMetaWrites(kNow, {{"mirror/x", schemas::MetaRecord{mirror}}});
  EXPECT_FALSE(checker->violations().empty());
}

TEST(Checkers, EndedSeesWhatIsPlacedAgainAfterItsEndOrChangedLater) {
  RequestRecord request = Request(1, "k");
  request.state = schemas::RequestState::kEnded;
  request.outcome = schemas::Outcome::kRefused;
  request.events = {{.at = kNow, .code = "accepted"},
                    {.at = kNow, .code = "refused"},
                    {.at = kNow, .code = "released", .site = "lakes"}};
  const auto silent = CheckEnded(OneNode());
  silent->OnMetaWrites(kNow, Of(request));
  silent->OnMetaWrites(kNow, Of(request));
  EXPECT_TRUE(silent->violations().empty());
  RequestRecord changed = request;
  changed.outcome = schemas::Outcome::kCancelled;
  silent->OnMetaWrites(kNow, Of(changed));
  EXPECT_EQ(silent->violations().size(), 1u);
  // In one turn, so only its timeline tells.
  request.events.push_back({.at = kNow, .code = "dropped"});
  request.events.push_back({.at = kNow, .code = "refused"});
  const auto again = CheckEnded(OneNode());
  again->OnMetaWrites(kNow, Of(request));
  EXPECT_EQ(again->violations().size(), 1u);
}

TEST(Checkers, EndedTakesTheOrderToCancelForNoEndAndSeesASecondEndAfterIt) {
  RequestRecord request = Request(1, "k");
  request.state = schemas::RequestState::kEnded;
  request.outcome = schemas::Outcome::kCancelled;
  request.events = {{.at = kNow, .code = "cancelled", .text = "cancel asked for by root"},
                    {.at = kNow, .code = "cancelled", .text = "cancelled"}};
  const auto checker = CheckEnded(OneNode());
  checker->OnMetaWrites(kNow, Of(request));
  EXPECT_TRUE(checker->violations().empty());
  request.id = {2};
  request.events.push_back({.at = kNow, .code = "cancelled", .text = "cancelled"});
  checker->OnMetaWrites(kNow, Of(request));
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, ProgressSeesARequestThatWaitsWithoutAReason) {
  const auto checker = CheckProgress(OneNode());
  RequestRecord request = Request(1, "k");
  request.reason = schemas::Reason{.code = schemas::ReasonCode::kSilent};
  checker->OnMetaWrites(kNow, Of(request));
  checker->AtEnd(kNow, true);
  EXPECT_TRUE(checker->violations().empty());
  request.reason.reset();
  checker->OnMetaWrites(kNow, Of(request));
  checker->AtEnd(kNow, true);
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, OthersSeesAPermitBeforeWhatItComesAfterHasEndedAndOneOfAHeldRequest) {
  RequestRecord first = Request(2, "first");
  RequestRecord second = Request(1, "second");
  second.spec.after = {{schemas::DependencyKind::kOk, first.id}};
  const auto early = CheckOthers(OneNode());
  early->OnMetaWrites(kNow, Of(first));
  early->OnMetaWrites(kNow, Of(second));
  early->OnMetaWrites(kNow, Of(Permitted(kFirst)));
  EXPECT_EQ(early->violations().size(), 1u);
  const auto silent = CheckOthers(OneNode());
  first.outcome = schemas::Outcome::kDone;
  silent->OnMetaWrites(kNow, Of(first));
  silent->OnMetaWrites(kNow, Of(second));
  silent->OnMetaWrites(kNow, Of(Permitted(kFirst)));
  EXPECT_TRUE(silent->violations().empty());
  second.parked = true;
  silent->OnMetaWrites(kNow, Of(second));
  silent->OnMetaWrites(kNow, Of(Permitted(kSecond)));
  EXPECT_EQ(silent->violations().size(), 1u);
}

TEST(Checkers, OthersSeesMoreElementsAtOnceThanTheArrayAllows) {
  RequestRecord array = Request(1, "array");
  array.spec.array = schemas::ArraySpec{.first = 1, .last = 3, .at_once = 1};
  const auto checker = CheckOthers(OneNode());
  checker->OnMetaWrites(kNow, Of(array));
  uint64_t number = 0;
  for (const uint64_t index : {1, 2}) {
    RequestRecord element = Request(1, "");
    element.id = array.id.element(index);
    checker->OnMetaWrites(kNow,
                          {{"request/e" + std::to_string(index), schemas::MetaRecord{element}}});
    AttemptRecord attempt = Permitted(Fence{{1}, ++number});
    attempt.request = element.id;
    EXPECT_TRUE(checker->violations().empty());
    checker->OnMetaWrites(kNow,
                          {{"attempt/" + std::to_string(index), schemas::MetaRecord{attempt}}});
  }
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, BlocksSeesAPromiseBeforeASiteIsBound) {
  RequestRecord request = Request(1, "a");
  request.attempt = kFirst;
  request.history = {Promise(2000)};
  MetaWrites writes = Of(Permitted(kFirst));
  writes.push_back(Of(request)[0]);
  const auto silent = CheckBlocks(OneNode());
  silent->OnSiteWrites(kNow, "lakes", Of(Hold(kFirst, HoldState::kCommitted)));
  silent->OnMetaWrites(kNow, writes);
  EXPECT_TRUE(silent->violations().empty());
  const auto checker = CheckBlocks(OneNode());
  checker->OnMetaWrites(kNow, writes);
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, BlocksSeesWhoIsPassedOverForEver) {
  const auto checker = CheckBlocks(OneNode());
  RequestRecord waiting = Request(1, "a");
  waiting.reason = schemas::Reason{.text = "waits in queue normal for the next block"};
  checker->OnMetaWrites(kNow, Of(waiting));
  for (uint64_t block = 1; block <= 22; ++block) {
    EXPECT_TRUE(checker->violations().empty()) << block;
    RequestRecord other = Request(block + 1, "b");
    other.events = {{.at = kNow,
                     .code = "extracted",
                     .text = "left queue normal with block " + std::to_string(block)}};
    checker->OnMetaWrites(kNow, Of(other));
  }
  EXPECT_EQ(checker->violations().size(), 1u);
}

MetaWrites Of(const schemas::SchedulerRecord& record) {
  return {{"scheduler", schemas::MetaRecord{record}}};
}

TEST(Checkers, SchedulingSeesVotesThatWhatWasCountedDoesNotBearOut) {
  schemas::SchedulerRecord record;
  record.switches = {{.at = kNow,
                      .packing = "ffdh*",
                      .voted = "ffdh*",
                      .saturated_ratio = 0.7,
                      .interactive_ratio = 0.2,
                      .requests = 9,
                      .why = "saturated"}};
  const auto checker = CheckScheduling(OneNode());
  checker->OnMetaWrites(kNow, Of(record));
  EXPECT_TRUE(checker->violations().empty());
  record.switches[0].interactive_ratio = 0.9;
  checker->OnMetaWrites(kNow, Of(record));
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, SchedulingSeesAPinThatIsNotInForceAndABrokenChain) {
  schemas::SchedulerRecord record;
  record.set.packing = "fcfs";
  record.switches = {{.packing = "ffdh*", .voted = "ffdh*", .why = "saturated"}};
  const auto pinned = CheckScheduling(OneNode());
  pinned->OnMetaWrites(kNow, Of(record));
  EXPECT_EQ(pinned->violations().size(), 1u);
  record.set.packing = "auto";
  record.switches.push_back({.from = "fcfs", .packing = "fcfs*", .voted = "fcfs*", .why = "not"});
  const auto chain = CheckScheduling(OneNode());
  chain->OnMetaWrites(kNow, Of(record));
  EXPECT_EQ(chain->violations().size(), 1u);
}

TEST(Checkers, SchedulingSeesWhoGoesToAndFroBetweenPasses) {
  RequestRecord request = Request(1, "a");
  request.submitted_at = kNow;
  const auto checker = CheckScheduling(OneNode());
  for (int64_t i = 1; i <= 3; ++i) {
    EXPECT_TRUE(checker->violations().empty());
    request.events.push_back(
        {.at = Moment{kNow.milliseconds + i}, .code = "moved", .text = meta::kStartsElsewhere});
    checker->OnMetaWrites(kNow, Of(request));
  }
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(Checkers, SchedulingSeesWhoGoesElsewhereToStartLater) {
  RequestRecord request = Request(1, "a");
  request.history = {Promise(2000), Promise(3000)};
  request.history[1].cause =
      schemas::Cause{schemas::CauseCode::kBackfilled, {.site = "lakes"}, "meta"};
  const auto checker = CheckScheduling(OneNode());
  checker->OnMetaWrites(kNow, Of(request));
  EXPECT_EQ(checker->violations().size(), 1u);
}

// An attempt of kim with one part of four processors that ran for 90 s.
class SharesFaults : public ::testing::Test {
 protected:
  SharesFaults() {
    CheckedWorld world = OneNode();
    world.counts_use = true;
    Again(world);
  }
  // Judges anew, in this world.
  void Again(const CheckedWorld& world) {
    checker_ = CheckShares(world);
    HoldRecord hold = Hold(kFirst, HoldState::kClosed);
    hold.parts[0].started_at = Moment{2'000'000};
    hold.parts[0].ended_at = Moment{2'090'000};
    hold.parts[0].usage.elapsed = Seconds(90);
    hold.parts[0].usage_final = true;
    checker_->OnMetaWrites(kNow, Of(Request(1, "a")));
    checker_->OnSiteWrites(kNow, "lakes", Of(hold));
    attempt_ = Permitted(kFirst);
    attempt_.part_sites = {"lakes"};
    checker_->OnMetaWrites(kNow, Of(attempt_));
  }
  static MetaWrites Use(const std::string& who, int64_t amount) {
    return {{"use/w/" + who, schemas::MetaRecord{schemas::UseRecord{{0}, who, amount}}}};
  }
  // One batch: the part is counted, and so much is added for kim and for all.
  void Count(int64_t of_kim, int64_t of_all) {
    attempt_.counted = {1};
    MetaWrites batch = Of(attempt_);
    for (const MetaWrites& more : {Use("kim", of_kim), Use("*", of_all)}) {
      batch.insert(batch.end(), more.begin(), more.end());
    }
    checker_->OnMetaWrites(kNow, batch);
  }
  size_t Found() {
    checker_->AtEnd(kNow, true);
    return checker_->violations().size();
  }

  std::unique_ptr<Checker> checker_;
  AttemptRecord attempt_;
};

TEST_F(SharesFaults, NoneIsFoundWhereThePartCountsOnce) {
  Count(360'000, 360'000);
  EXPECT_EQ(Found(), 0u);
}
TEST_F(SharesFaults, APartThatIsNeverCounted) { EXPECT_EQ(Found(), 1u); }
TEST_F(SharesFaults, LessForTheUserThanForAll) {
  Count(300'000, 360'000);
  EXPECT_EQ(Found(), 1u);
}
TEST_F(SharesFaults, AMarkWhoseUseComesInALaterBatch) {
  attempt_.counted = {1};
  checker_->OnMetaWrites(kNow, Of(attempt_));
  checker_->OnMetaWrites(kNow, Use("kim", 360'000));
  EXPECT_GE(Found(), 3u);
}
TEST_F(SharesFaults, APartThatIsCountedTwice) {
  Count(360'000, 360'000);
  checker_->OnMetaWrites(kNow, Use("*", 720'000));
  attempt_.counted.clear();
  checker_->OnMetaWrites(kNow, Of(attempt_));
  EXPECT_EQ(Found(), 3u) << "grown without a part, a mark that is gone, and so not counted";
}

// The same where kim is at home at hills and the meta counts for sites alone.
class BalanceFaults : public SharesFaults {
 protected:
  BalanceFaults() {
    CheckedWorld world = OneNode();
    world.homes = {{"kim", "hills"}};
    Again(world);
  }
  void Give(int64_t gave, int64_t took) {
    attempt_.counted = {1};
    MetaWrites batch = Of(attempt_);
    for (const MetaWrites& more : {Use("site lakes gave", gave), Use("site hills took", took)}) {
      batch.insert(batch.end(), more.begin(), more.end());
    }
    checker_->OnMetaWrites(kNow, batch);
  }
};

TEST_F(BalanceFaults, NoneIsFoundWhereBothSitesCountOnce) {
  Give(360'000, 360'000);
  EXPECT_EQ(Found(), 0u);
}
TEST_F(BalanceFaults, WhatWasGivenIsNotWhatWasTaken) {
  Give(360'000, 180'000);
  EXPECT_EQ(Found(), 1u);
}
TEST_F(BalanceFaults, ABalanceThatIsCountedAgainAtARollOver) {
  Give(360'000, 360'000);
  checker_->OnMetaWrites(
      kNow, {{"use/v/site lakes gave",
              schemas::MetaRecord{schemas::UseRecord{{3600}, "site lakes gave", 360'000}}}});
  EXPECT_EQ(Found(), 1u);
}

// A job of kim that is promised at lakes.
class HomeFaults : public ::testing::Test {
 protected:
  HomeFaults() {
    checker_ = CheckHome(OneNode());
    job_ = Request(1, "a");
    job_.history = {Promise(2000)};
    job_.attempt = kFirst;
    job_.state = schemas::RequestState::kPromised;
    Write(kFirst, "lakes");
    At("lakes", kFirst, HoldState::kPermitted);
  }
  void Write(const Fence& fence, const std::string& site) {
    AttemptRecord attempt = Permitted(fence);
    attempt.members = {site};
    attempt.part_sites = {site};
    MetaWrites batch = Of(attempt);
    const MetaWrites job = Of(job_);
    batch.insert(batch.end(), job.begin(), job.end());
    checker_->OnMetaWrites(kNow, batch);
  }
  void At(const std::string& site, const Fence& fence, HoldState state) {
    HoldRecord hold = Hold(fence, state);
    hold.order.request = {1};
    hold.order.members = {site};
    checker_->OnSiteWrites(kNow, site, Of(hold));
  }
  // The meta gives its place at lakes back for one at hills.
  void GivesBack() {
    AttemptRecord attempt = Permitted(kFirst);
    attempt.request = {1};
    attempt.members = {"lakes"};
    attempt.cause = {schemas::CauseCode::kBackfilled, {.site = "hills"}, "meta"};
    checker_->OnMetaWrites(kNow, Of(attempt));
  }
  // It gives way: another attempt at `site`, promised by then.
  void GivesWay(const std::string& site, int64_t by) {
    job_.history.push_back(Promise(by));
    job_.history.back().cause =
        schemas::Cause{schemas::CauseCode::kHome, {.site = "lakes"}, "meta"};
    job_.attempt = kSecond;
    job_.events.push_back({.at = kNow, .code = "moved", .text = meta::kGivesWay});
    Write(kSecond, site);
  }
  size_t Found() const { return checker_->violations().size(); }

  std::unique_ptr<Checker> checker_;
  RequestRecord job_;
};

TEST_F(HomeFaults, NoneIsFoundWhereThePlaceIsReplacedBeforeItIsGivenBack) {
  At("hills", kSecond, HoldState::kCommitted);
  GivesBack();
  GivesWay("hills", 2000);
  EXPECT_EQ(Found(), 0u);
}
TEST_F(HomeFaults, GivingWayByReleaseBeforeReplacement) {
  GivesBack();
  At("hills", kSecond, HoldState::kCommitted);
  EXPECT_EQ(Found(), 1u);
}
TEST_F(HomeFaults, GivingWayToALaterStart) {
  GivesWay("hills", 2001);
  EXPECT_EQ(Found(), 1u);
}
TEST_F(HomeFaults, GivingWayWithoutLeaving) {
  GivesWay("lakes", 1900);
  EXPECT_EQ(Found(), 1u);
}

}  // namespace
}  // namespace muster::sim::checkers_test
