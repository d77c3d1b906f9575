// In the meta's account of how users would have fared alone (scheduling.md section 16) jobs wait
// nearly as they do in the site's own core. If MUSTER_TRACES names a folder of traces, a day of KTH
// is one of them.
#include "meta/forecast/model/alone_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "sim/replay/site_replay.h"
#include "sim/replay/swf.h"

namespace muster::sim {
namespace {

constexpr int64_t kProcessors = 100;

// One node, so that amounts are all that matters.
site::Options OneNode() {
  site::Options site{.name = "site", .boot_id = "boot-1", .nodes = *NodesFromText("1x100")};
  site.driver = "simulated";
  site.facts.turnover = {0};
  site.facts.start_slack = {0};
  return site;
}

ReplayJob DrawnJob(int64_t number, int64_t arrives, int64_t processors, int64_t asked,
                   int64_t ran) {
  ReplayJob job{.number = number, .arrives = {arrives}, .runs = {ran}, .user = "u", .group = "g"};
  job.spec.name = "j";
  job.spec.duration = {asked};
  job.spec.parts = {{.chunks = {{.count = 1, .resources = {{"ncpus", processors}}}}}};
  return job;
}

forecast::AloneRun::Outcome Alone(const SiteWorkload& workload) {
  std::vector<forecast::AloneRun::Job> jobs;
  for (const ReplayJob& job : workload.jobs) {
    const Instant came = Instant{workload.began} + job.arrives;
    jobs.push_back({.came = came,
                    .amounts = {job.spec.parts[0].chunks[0].resources.Get("ncpus")},
                    .booked = job.spec.duration,
                    .runs = job.runs,
                    .at = {},
                    .waited = Span{0}});
  }
  const forecast::Backfilling::Step free{Instant{0}, {kProcessors}};
  forecast::AloneRun run({free}, std::move(jobs), Span{0});
  while (!run.Done()) run.Next();
  return run.Result();
}

struct Waits {
  int64_t by_core = 0;  // sums, in seconds
  int64_t alone = 0;
};

// After an early end a site first looks for those that can start at once; the run takes all in one
// order. So single jobs change places, and the sums stay close.
Waits ExpectNearlyTheSameWaits(const SiteWorkload& workload, double apart) {
  const ReplayResult by_core = ReplayAtSite(OneNode(), workload);
  EXPECT_TRUE(by_core.violations.empty()) << by_core.violations.front();
  EXPECT_EQ(by_core.started, workload.jobs.size());
  EXPECT_GT(by_core.backfilled, workload.jobs.size() / 10) << "nothing moved up";
  const forecast::AloneRun::Outcome alone = Alone(workload);
  EXPECT_EQ(alone.jobs, workload.jobs.size());
  const auto near = [apart](int64_t one, int64_t other) {
    EXPECT_NEAR(static_cast<double>(one) / static_cast<double>(other), 1.0, apart);
  };
  near(alone.alone.seconds, by_core.waited_sum_s);
  near(alone.alone_most.seconds, by_core.waited_most_s);
  return {by_core.waited_sum_s, alone.alone.seconds};
}

TEST(AloneRun, DrawnJobsWaitNearlyAsTheyDoInTheSitesOwnCore) {
  Waits all;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 draw(seed);
    SiteWorkload workload{.jobs = {}, .began = 1000};
    int64_t at = 0;
    for (int64_t n = 1; n <= 150; ++n) {
      at += static_cast<int64_t>(draw() % 60);
      const auto processors = static_cast<int64_t>(1 + draw() % kProcessors);
      const auto asked = static_cast<int64_t>(20 + draw() % 200);
      const auto ran = static_cast<int64_t>(1 + draw() % static_cast<uint64_t>(asked));
      workload.jobs.push_back(DrawnJob(n, at, processors, asked, ran));
    }
    const Waits waits = ExpectNearlyTheSameWaits(workload, 0.12);
    all.by_core += waits.by_core;
    all.alone += waits.alone;
  }
  EXPECT_NEAR(static_cast<double>(all.alone) / static_cast<double>(all.by_core), 1.0, 0.03);
}

TEST(AloneRun, JobsOfKthWaitNearlyAsTheyDoInTheSitesOwnCore) {
  const char* folder = std::getenv("MUSTER_TRACES");
  if (folder == nullptr) GTEST_SKIP() << "MUSTER_TRACES is unset: no real trace here";
  const auto text = ReadPacked(std::string(folder) + "/KTH-SP2-1996-2.1-cln.swf.gz");
  ASSERT_TRUE(text.ok()) << Text(text.status());
  const auto trace = ParseSwf("KTH", *text);
  ASSERT_TRUE(trace.ok()) << Text(trace.status());
  SiteWorkload workload = MakeSiteWorkload(*trace, {}, {.day = BusiestDay(*trace)});
  std::erase_if(workload.jobs, [](const ReplayJob& job) { return job.spec.parts.size() != 1; });
  for (ReplayJob& job : workload.jobs) {
    // Chunks of one processor each on the one node: the same amounts.
    int64_t processors = 0;
    for (const schemas::Chunk& chunk : job.spec.parts[0].chunks) {
      processors += chunk.count * chunk.resources.Get("ncpus");
    }
    job.spec.parts[0].chunks = {{.count = 1, .resources = {{"ncpus", processors}}}};
  }
  ExpectNearlyTheSameWaits(workload, 0.05);
}

}  // namespace
}  // namespace muster::sim
