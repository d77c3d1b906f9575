// Users of the sites themselves submit while the federation runs, with and without faults: local
// jobs stay at home, keep their place and double-book nothing; and the checker that says so finds
// the faults it is there for.
#include <gtest/gtest.h>

#include "sim/campaign.h"
#include "sim/checkers/checker.h"
#include "sim/workload.h"
#include "sim/world.h"

namespace muster::sim {
namespace {

void RunWithLocalUsers(uint64_t seed, bool faults) {
  Random random(seed);
  WorldOptions options = SmallFederation(seed);
  options.clients.emplace_back("kim", DrawWorkload({.requests = 15}, random));
  for (site::Options& site : options.sites) {
    site.users = {{"ana", false, {}}, {"bo", false, {}}};
    for (const char* user : {"ana", "bo"}) {
      options.local_clients[site.name].emplace_back(
          user, DrawWorkload({.requests = 12, .co_allocated = 0, .cancelled = 200}, random));
    }
  }
  if (faults) {
    options.crash_of_10000 = 15;
    options.network = {.delay_high = Milliseconds(200), .loss = 30, .duplication = 30};
  }
  World world(std::move(options));
  world.Run(world.now() + Seconds(60));
  world.Crash("meta", Seconds(faults ? 20 : 60));  // the sites go on alone
  world.Run(world.now() + Seconds(120));
  world.Calm();
  world.Run(world.now() + Seconds(1200));
  world.Finish(true);
  for (const std::string& violation : world.Violations()) {
    ADD_FAILURE() << violation << " (seed " << seed << ")";
  }
  EXPECT_GT(world.counts().starts, 15u) << "local jobs ran too";
  for (const auto& [site, clients] : world.local_clients()) {
    for (const Client& client : clients) EXPECT_TRUE(client.Settled()) << site;
  }
}

TEST(LocalJobs, StayAtTheirSitesAndEndWhileTheMetaIsGone) {
  for (uint64_t seed = 1; seed <= 3; ++seed) RunWithLocalUsers(seed, false);
}

TEST(LocalJobs, CrashesAndLostMessagesMakeNoneOfThemTwice) {
  for (uint64_t seed = 1; seed <= 4; ++seed) RunWithLocalUsers(seed, true);
}

// --- the checker's own faults

constexpr Moment kNow{1'000'000};

SiteWrites LocalHold(uint64_t number, uint64_t job) {
  schemas::HoldRecord hold;
  hold.order.fence = {{0}, number};
  hold.order.request = {job};
  hold.state = schemas::HoldState::kPermitted;
  return {{"hold/x", schemas::SiteRecord{hold}}};
}
schemas::Write<schemas::SiteRecord> LocalJob(uint64_t number, const std::string& key) {
  schemas::LocalRecord job{.number = number, .requester = {.user = "ana"}, .key = {.text = key}};
  return {"local/x", schemas::SiteRecord{job}};
}

TEST(LocalJobsChecker, FindsAHoldWithoutItsClientKey) {
  const auto checker = CheckLocals({});
  SiteWrites good = LocalHold(1, 1);
  good.push_back(LocalJob(1, "a"));
  checker->OnSiteWrites(kNow, "lakes", good);
  EXPECT_TRUE(checker->violations().empty());
  checker->OnSiteWrites(kNow, "lakes", LocalHold(2, 2));
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(LocalJobsChecker, FindsOneKeyThatMadeTwoJobs) {
  const auto checker = CheckLocals({});
  checker->OnSiteWrites(kNow, "lakes", {LocalJob(1, "a")});
  checker->OnSiteWrites(kNow, "woods", {LocalJob(2, "a")});
  EXPECT_TRUE(checker->violations().empty()) << "another site is another place";
  checker->OnSiteWrites(kNow, "lakes", {LocalJob(2, "a")});
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(LocalJobsChecker, FindsALocalHoldAtTheMeta) {
  const auto checker = CheckLocals({});
  schemas::MirrorRecord mirror{.site = "lakes", .fence = {{1}, 1}};
  checker->OnMetaWrites(kNow, {{"mirror/x", schemas::MetaRecord{mirror}}});
  EXPECT_TRUE(checker->violations().empty());
  mirror.fence = {{0}, 1};
  checker->OnMetaWrites(kNow, {{"mirror/y", schemas::MetaRecord{mirror}}});
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(LocalJobsChecker, FindsAnAcknowledgementBeforeTheWrite) {
  const auto checker = CheckLocals({});
  schemas::ToClient told;
  told.body = schemas::Accepted{.requests = {{1}}};
  checker->OnLocalTold(kNow, "lakes", told);
  EXPECT_EQ(checker->violations().size(), 1u);
}

TEST(LocalJobsChecker, FindsAJobThatRunsTwiceAndOneThatNeverEnds) {
  const auto checker = CheckLocals({});
  for (const uint64_t fence : {1, 2}) {
    SiteWrites writes = LocalHold(fence, 1);
    writes.push_back(LocalJob(1, "a"));
    checker->OnSiteWrites(kNow, "lakes", writes);
  }
  checker->OnPartStarted(kNow, "lakes", "0.1.1.1");
  EXPECT_TRUE(checker->violations().empty());
  checker->OnPartStarted(kNow, "lakes", "0.2.1.1");
  EXPECT_EQ(checker->violations().size(), 1u);
  checker->AtEnd(kNow, true);
  EXPECT_EQ(checker->violations().size(), 2u);
}

}  // namespace
}  // namespace muster::sim
