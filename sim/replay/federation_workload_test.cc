// From traces to jobs: what is left out, what is changed, and that all of it is counted.
#include "sim/replay/federation_workload.h"

#include <gtest/gtest.h>

#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

std::vector<ReplaySite> Sites(const std::vector<std::string>& texts) {
  std::vector<ReplaySite> out;
  for (const std::string& text : texts) out.push_back(*SiteFromText(text));
  return out;
}

// number submitted wait ran procs, partition at the end
SwfTrace Trace(SwfRules rules = {}) {
  const std::string lines =
      "; UnixStartTime: 1000\n"
      "1 0 5 60 4 -1 -1 4 90 -1 1 7 3 -1 -1 101 -1 -1\n"
      "2 10 50 -1 8 -1 -1 8 600 -1 5 7 3 -1 -1 201 -1 -1\n"
      "3 20 0 100 300 -1 -1 300 100 -1 1 8 3 -1 -1 201 -1 -1\n"
      "4 30 0 7200 30 -1 -1 30 9000 -1 1 8 3 -1 -1 201 -1 -1\n";
  return *ParseSwf("t.swf", lines, rules);
}

TEST(FederationWorkload, ASiteIsANameAndAMachineAndAnErrorSaysWhatWouldBeRight) {
  const auto site = SiteFromText("lakes=flat:430");
  ASSERT_TRUE(site.ok());
  EXPECT_EQ(site->site.name, "lakes");
  EXPECT_EQ(site->processors, 430);
  EXPECT_EQ(site->site.nodes.size(), 1u);
  EXPECT_EQ(SiteFromText("a=torus:4x4x4")->processors, 64);
  EXPECT_EQ(SiteFromText("a=hypercube:32")->site.nodes.size(), 32u);
  EXPECT_EQ(SiteFromText("a=tree:16x4")->site.switches.size(), 5u);
  const auto speeds = SiteFromText("icebox=speeds:2x120%,3x62.5%");
  ASSERT_TRUE(speeds.ok());
  EXPECT_EQ(speeds->processors, 5);
  EXPECT_EQ(speeds->site.nodes[1].speed, 1200);
  EXPECT_EQ(speeds->site.nodes[2].speed, 625);
  EXPECT_EQ(speeds->site.nodes[4].name, "n5");
  for (const char* wrong : {"lakes",
                            "=flat:4",
                            "a=speeds:",
                            "a=speeds:4",
                            "a=speeds:4x",
                            "a=speeds:0x80%",
                            "a=speeds:4x80%,",
                            "a=speeds:4x0%",
                            "a=speeds:4x1001%",
                            "a=speeds:5000x80%",
                            "lakes=flat:0",
                            "lakes=flat:-3",
                            "lakes=ring:4",
                            "lakes=flat:4x",
                            "lakes=flat:",
                            "lakes=mesh:8",
                            "lakes=torus:4x4",
                            "lakes=hypercube:48",
                            "lakes=mesh:100x100",
                            "lakes=tree:8"}) {
    const auto refused = SiteFromText(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_NE(std::string(Text(refused.status())).find("as in lakes=flat:430"), std::string::npos);
  }
}

TEST(FederationWorkload, WhatIsLeftOutIsCounted) {
  const auto workload = MakeWorkload(Trace(), Sites({"a=flat:100", "b=flat:50"}), {});
  ASSERT_TRUE(workload.ok());
  ASSERT_EQ(workload->jobs.size(), 2u);
  EXPECT_EQ(workload->counts.trace.cancelled, 1u);
  EXPECT_EQ(workload->counts.too_wide, 1u);
  EXPECT_EQ(workload->jobs[0].home, 0u);
  EXPECT_EQ(workload->jobs[1].home, 1u);
  EXPECT_TRUE(workload->jobs[0].interactive);
  EXPECT_FALSE(workload->jobs[1].interactive) << "it asks for more than an hour";
  const auto late = MakeWorkload(Trace(), Sites({"a=flat:100"}), {.from = {25}});
  EXPECT_EQ(late->jobs.size(), 1u);
  EXPECT_EQ(late->counts.outside, 2u);
  const auto alone = MakeWorkload(Trace(), Sites({"a=flat:100"}), {.alone = true});
  EXPECT_EQ(alone->jobs.size(), 1u);
  EXPECT_EQ(alone->counts.homeless, 2u) << "there is no second site";
}

TEST(FederationWorkload, ABacklogIsThereAtOnceAndALoadCountsSpeeds) {
  const auto backlog = MakeWorkload(Trace(), Sites({"a=flat:100"}), {.backlog = true});
  ASSERT_EQ(backlog->jobs.size(), 2u);
  EXPECT_EQ(backlog->jobs[1].submitted, backlog->jobs[0].submitted);
  const auto scale = [](const std::string& site) {
    return MakeWorkload(Trace(), Sites({site}), {.load = 0.5})->counts.interval_scale;
  };
  EXPECT_DOUBLE_EQ(scale("a=speeds:100x50%"), 2 * scale("a=flat:100"));
}

TEST(FederationWorkload, OfTheJobsOfOneHomeAShareIsKeptEvenly) {
  const auto half =
      MakeWorkload(Trace(), Sites({"a=flat:100", "b=flat:300"}), {.keep = {{1, 500}}});
  ASSERT_EQ(half->jobs.size(), 2u);
  EXPECT_EQ(half->jobs[0].number, 1) << "of the other home all";
  EXPECT_EQ(half->jobs[1].number, 4) << "each second one";
  EXPECT_EQ(half->counts.thinned, 1u);
}

TEST(FederationWorkload, CancelledJobsMayEnterAndAreTakenBackAfterTheirWait) {
  const auto workload =
      MakeWorkload(Trace({.keep_cancelled = true}), Sites({"a=flat:100", "b=flat:50"}), {});
  ASSERT_EQ(workload->jobs.size(), 3u);
  EXPECT_EQ(workload->counts.trace.entered, 1u);
  EXPECT_EQ(workload->jobs[1].cancels, Instant{1000 + 10 + 50});
  EXPECT_EQ(workload->jobs[1].runs, Span{600}) << "nobody knows better than its request";
}

TEST(FederationWorkload, ExactRequestsAreTheRunTimes) {
  const auto workload = MakeWorkload(Trace(), Sites({"a=flat:100"}), {.exact = true});
  EXPECT_EQ(workload->jobs[0].asks, Span{60});
}

TEST(FederationWorkload, CoAllocationsSplitAJobIntoNearlyEqualPartsWhereSitesAreLargeEnough) {
  SwfTrace trace;
  for (int64_t n = 1; n <= 400; ++n) {
    trace.jobs.push_back(
        {.number = n, .submitted = n, .ran = 10, .processors = 1 + n % 120, .asked = 10});
  }
  const auto sites = Sites({"a=flat:200", "b=flat:40", "c=flat:30"});
  const auto workload = MakeWorkload(trace, sites, {.co_allocated = 1000});
  ASSERT_TRUE(workload.ok());
  for (size_t i = 0; i < workload->jobs.size(); ++i) {
    const FederationJob& job = workload->jobs[i];
    EXPECT_EQ(job.Processors(), trace.jobs[i].processors);
    for (const int64_t part : job.parts) EXPECT_LE(job.parts.front() - part, 1);
    if (job.parts.size() > 1) EXPECT_LE(job.parts.front(), job.parts.size() == 2 ? 40 : 30);
    if (job.parts.size() == 1) EXPECT_TRUE(job.Processors() == 1 || job.Processors() > 80);
  }
  EXPECT_GT(workload->counts.split_in_two, 100u);
  EXPECT_GT(workload->counts.split_in_three, 100u);
  // A smaller share splits some of the same jobs.
  const auto tenth = MakeWorkload(trace, sites, {.co_allocated = 100});
  size_t several = 0;
  for (size_t i = 0; i < tenth->jobs.size(); ++i) {
    if (tenth->jobs[i].parts.size() == 1) continue;
    ++several;
    EXPECT_EQ(tenth->jobs[i].parts, workload->jobs[i].parts);
  }
  EXPECT_GT(several, 15u);
  EXPECT_LT(several, 70u);
  EXPECT_FALSE(MakeWorkload(trace, Sites({"a=flat:200"}), {.co_allocated = 100}).ok());
}

TEST(FederationWorkload, SubmissionsAreMovedUntilTheOfferedLoadIsAsAsked) {
  const auto sites = Sites({"a=flat:100"});
  const auto workload = MakeWorkload(Trace(), sites, {.load = 0.5});
  ASSERT_EQ(workload->jobs.size(), 2u);
  const double area = 4.0 * 60 + 30.0 * 7200;
  const auto lasts =
      static_cast<double>((workload->jobs[1].submitted - workload->jobs[0].submitted).seconds);
  EXPECT_NEAR(area / (100 * lasts), 0.5, 0.001);
  EXPECT_NEAR(workload->counts.interval_scale, lasts / 30, 0.1);
}

}  // namespace
}  // namespace muster::sim
