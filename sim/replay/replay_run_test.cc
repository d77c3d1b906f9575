// Replays against an independent simulator: FCFS* with exact requests on flat machines starts every
// job of the reference schedules at the very second they say. Skipped, saying so, where
// MUSTER_REFERENCE or MUSTER_TRACES is unset.
#include "sim/replay/replay_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

RunSettings Settings(std::vector<std::string> sites) {
  RunSettings out{.name = "test", .sites = std::move(sites)};
  out.model = Lublin{.jobs = 400, .processors = 64, .homes = 2};
  return out;
}

// All promises are kept: nothing fails in a replay.
void ExpectKept(const ReplayRun& run) {
  EXPECT_EQ(run.result.violations, std::vector<std::string>());
  std::vector<GroupFigures> groups = run.figures.by_home;
  const ReplayFigures& f = run.figures;
  groups.insert(groups.end(), {f.all, f.interactive, f.batch, f.co_allocated});
  for (const GroupFigures& group : groups) EXPECT_EQ(group.kept, group.promised);
  EXPECT_EQ(f.all.promised, f.all.started);
}

std::string ErrorOf(const RunSettings& settings) {
  const auto run = RunReplay(settings, nullptr);
  return run.ok() ? "" : std::string(Text(run.status()));
}

TEST(ReplayRun, SettingsThatMeanNothingAreErrors) {
  EXPECT_NE(ErrorOf(Settings({})).find("no site"), std::string::npos);
  EXPECT_NE(ErrorOf(Settings({"a=flat:4", "a=flat:5"})).find("twice"), std::string::npos);
  RunSettings home = Settings({"a=flat:4"});
  home.home = "b";
  EXPECT_EQ(ErrorOf(home), "home 'b': no such site; partition, none, a");
  RunSettings packing = Settings({"a=flat:4"});
  packing.packing = "best";
  EXPECT_EQ(ErrorOf(packing),
            "packing 'best'; there are auto, fcfs, fcfs*, ffdh, ffdh*, ffih, ffih*");
  RunSettings trace = Settings({"a=flat:4"});
  trace.trace = "/nowhere.swf";
  EXPECT_NE(ErrorOf(trace).find("/nowhere.swf"), std::string::npos);
}

// Two machines of ten processors. The fourth job, of b, is promised 1000 at a, where the last one,
// of a alone, is behind it. At 400 the second one ends early: b is free from 1000 on, too.
TEST(ReplayRun, WhatIsBookedForOthersGivesWayToHomeUsersAndStartsNoLater) {
  const Instant t{1'000'000};
  const auto job = [t](int64_t after, int64_t processors, int64_t asks, int64_t runs, size_t home) {
    return FederationJob{.submitted = t + Span{after},
                         .asks = Span{asks},
                         .runs = Span{runs},
                         .parts = {processors},
                         .user = static_cast<int64_t>(home),
                         .home = home};
  };
  std::vector<FederationJob> jobs = {job(0, 10, 1000, 1000, 0), job(0, 5, 3000, 400, 1),
                                     job(5, 5, 995, 995, 1), job(10, 10, 500, 500, 1),
                                     job(20, 10, 500, 500, 0)};
  jobs.back().only = 0;
  const auto starts = [&](bool home_first) {
    FederationReplayOptions options;
    options.meta.federation = "two";
    options.meta.values = IdealValues();
    options.meta.packing = packing::ParseAlgorithm("fcfs*");
    options.meta.home_first = home_first;
    for (const char* text : {"a=flat:10", "b=flat:10"}) {
      options.sites.push_back(*SiteFromText(text));
      MakeIdeal(options.sites.back().site);
    }
    options.start_delay_most = {0};
    const FederationResult result = ReplayFederation(options, jobs);
    EXPECT_EQ(result.violations, std::vector<std::string>());
    std::vector<int64_t> out;
    for (const JobOutcome& one : result.jobs) out.push_back((*one.start - t).seconds);
    return out;
  };
  EXPECT_EQ(starts(false), (std::vector<int64_t>{0, 0, 5, 1000, 1500}));
  EXPECT_EQ(starts(true), (std::vector<int64_t>{0, 0, 5, 1000, 1000}));
}

// True without delays, with the daemons' delays, and with delays of messages as well.
TEST(ReplayRun, EveryJobEndsAndEveryPromiseIsKept) {
  std::set<double> waits;
  for (const auto& [ideal, real_link] : {std::pair(true, false), {false, false}, {false, true}}) {
    SCOPED_TRACE(ideal ? "ideal" : real_link ? "real link" : "daemon");
    RunSettings settings = Settings({"a=flat:64", "b=flat:48", "c=flat:32"});
    settings.co_allocated = 300;
    settings.load = 0.8;
    settings.ideal = ideal;
    settings.real_link = real_link;
    const auto run = RunReplay(settings, nullptr);
    ASSERT_TRUE(run.ok()) << Text(run.status());
    ExpectKept(*run);
    EXPECT_EQ(run->figures.all.started, 400u);
    EXPECT_EQ(run->result.started_apart, 0u);
    EXPECT_GT(run->figures.co_allocated.started, 60u);
    EXPECT_GT(run->result.first.found, 0u);
    EXPECT_LE(run->result.first.rounds.rbegin()->first, 8);
    waits.insert(run->figures.all.wait_mean);
  }
  EXPECT_EQ(waits.size(), 3u) << "they differ";
}

TEST(ReplayRun, MachinesWithAGeometryKeepEveryPromiseToo) {
  for (const char* machine : {"a=mesh:8x8", "a=hypercube:64", "a=torus:4x4x4", "a=tree:16x4"}) {
    RunSettings settings = Settings({machine});
    settings.model->jobs = 150;
    settings.load = 0.8;
    const auto run = RunReplay(settings, nullptr);
    ASSERT_TRUE(run.ok()) << Text(run.status());
    SCOPED_TRACE(machine);
    ExpectKept(*run);
    EXPECT_EQ(run->figures.all.started, 150u);
  }
}

TEST(ReplayRun, BlocksPromiseLaterAndEndAllJobsToo) {
  RunSettings settings = Settings({"a=flat:64", "b=flat:48"});
  settings.threshold = Span{3600};
  settings.load = 1.1;
  const auto run = RunReplay(settings, nullptr);
  ASSERT_TRUE(run.ok()) << Text(run.status());
  ExpectKept(*run);
  EXPECT_EQ(run->figures.all.started, 400u);
}

TEST(ReplayRun, EveryPackingAndTheVoteEndAllJobsAndKeepWhatIsPromised) {
  std::set<double> waits;
  for (const char* packing : {"auto", "fcfs", "fcfs*", "ffdh", "ffdh*", "ffih", "ffih*"}) {
    RunSettings settings = Settings({"a=flat:64", "b=flat:48"});
    settings.threshold = Span{4 * 3600};
    settings.load = 2;
    settings.classes = true;
    settings.packing = packing;
    const auto run = RunReplay(settings, nullptr);
    ASSERT_TRUE(run.ok()) << Text(run.status());
    SCOPED_TRACE(packing);
    ExpectKept(*run);
    EXPECT_EQ(run->figures.all.started, 400u);
    waits.insert(run->figures.all.wait_mean);
  }
  EXPECT_GT(waits.size(), 3u) << "they differ";
}

TEST(ReplayRun, WhoIsCancelledWhileWaitingNeverRuns) {
  SwfTrace trace;
  trace.jobs = {{.number = 1, .ran = 100, .processors = 4, .asked = 100},
                {.number = 2,
                 .submitted = 1,
                 .waited = 50,
                 .cancelled = true,
                 .ran = 10,
                 .processors = 4,
                 .asked = 10},
                {.number = 3, .submitted = 2, .ran = 10, .processors = 4, .asked = 10}};
  std::vector<ReplaySite> sites = {*SiteFromText("a=flat:4")};
  MakeIdeal(sites[0].site);
  const auto workload = MakeWorkload(trace, sites, {});
  ASSERT_TRUE(workload.ok());
  FederationReplayOptions options{.meta = {.federation = "test"}, .sites = sites};
  options.start_delay_most = {0};
  const FederationResult result = ReplayFederation(options, workload->jobs);
  EXPECT_EQ(result.jobs[1].fate, JobFate::kCancelled);
  EXPECT_EQ(result.jobs[1].start, std::nullopt);
  EXPECT_EQ(result.jobs[2].promise->starts_by, Instant{110})
      << "told while the other was before it";
  EXPECT_EQ(result.jobs[2].start, Instant{100});
}

class Reference : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* reference = std::getenv("MUSTER_REFERENCE");
    const char* traces = std::getenv("MUSTER_TRACES");
    if (reference == nullptr || traces == nullptr) {
      GTEST_SKIP() << "MUSTER_REFERENCE or MUSTER_TRACES is unset: nothing to compare with here";
    }
    reference_ = std::string(reference) + "/";
    traces_ = std::string(traces) + "/";
  }

  // Job to (site from 1, start); lists of one site have no site.
  std::map<int64_t, std::pair<size_t, int64_t>> Starts(const std::string& name, bool sites) {
    const auto text = ReadPacked(reference_ + name);
    EXPECT_TRUE(text.ok()) << Text(text.status());
    std::map<int64_t, std::pair<size_t, int64_t>> out;
    std::istringstream lines(*text);
    int64_t job = 0;
    while (lines >> job) {
      std::pair<size_t, int64_t> start{1, 0};
      if (sites) lines >> start.first;
      lines >> start.second;
      out[job] = start;
    }
    return out;
  }

  // Compares the starts of the first `jobs` jobs, one by one.
  void Compare(RunSettings settings, const std::string& starts, size_t jobs) {
    settings.exact = true;
    settings.ideal = true;  // that simulator knows no turnover
    settings.jobs = jobs;
    const auto run = RunReplay(settings, nullptr);
    ASSERT_TRUE(run.ok()) << Text(run.status());
    ExpectKept(*run);
    const auto expected = Starts(starts, run->sites.size() > 1);
    ASSERT_EQ(run->workload.jobs.size(), jobs);
    const auto trace = ParseSwf("trace", *ReadPacked(settings.trace), {});
    size_t wrong = 0;
    for (size_t i = 0; i < jobs; ++i) {
      const JobOutcome& outcome = run->result.jobs[i];
      const auto& [site, start] = expected.at(run->workload.jobs[i].number);
      ASSERT_TRUE(outcome.start.has_value());
      const bool same =
          outcome.start->seconds - trace->began == start && outcome.sites.front() + 1 == site;
      if (!same && ++wrong <= 3) {
        ADD_FAILURE() << "job " << run->workload.jobs[i].number << " at site "
                      << outcome.sites.front() + 1 << " at "
                      << outcome.start->seconds - trace->began << ", expected site " << site
                      << " at " << start;
      }
    }
    EXPECT_EQ(wrong, 0u);
  }

  std::string reference_;
  std::string traces_;
};

// All 20,000 jobs of KTH and all 75,523 of the federation agree: docs/experiments.md has the
// commands. The test of the federation compares only as many jobs as take a few seconds.
TEST_F(Reference, JobsOfKthStartAsTheConservativeScheduleSays) {
  RunSettings settings{.name = "kth", .sites = {"kth=flat:100"}};
  settings.trace = traces_ + "KTH-SP2-1996-2.1-cln.swf.gz";
  Compare(settings, "kth-conservative-exact.starts.gz", 20000);
}

TEST_F(Reference, JobsOfTwoSitesStartWhereAndWhenTheCentralScheduleSays) {
  RunSettings settings{.name = "two", .sites = {"ctc=flat:338", "kth=flat:100"}};
  settings.trace = traces_ + "fed-1996-ctc-kth.swf.gz";
  Compare(settings, "fed-ctc-kth-central-exact.starts.gz", 15000);
}

}  // namespace
}  // namespace muster::sim
