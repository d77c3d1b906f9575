// Who asks for which nodes, and that what is asked for is what the sites' cores give.
#include "sim/replay/node_set_rules.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/replay/replay_run.h"
#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

constexpr char kIcebox[] = "icebox=speeds:4x120%,8x80%,10x60%,5x45%";

// Jobs of one to `widest` processors, one after the other.
FederationWorkload Jobs(int64_t count, int64_t widest) {
  FederationWorkload out;
  for (int64_t n = 0; n < count; ++n) {
    out.jobs.push_back({.number = n,
                        .submitted = {1000},
                        .asks = {100},
                        .runs = {100},
                        .parts = {1 + n % widest}});
  }
  return out;
}

std::vector<std::string> Order(const std::vector<ReplaySite>& sites) {
  std::vector<std::string> out;
  for (const site::Node& node : sites[0].site.nodes) out.push_back(node.name);
  return out;
}

TEST(NodeSetRules, BalancedJobsAskForTheSetAndALargerShareKeepsThem) {
  std::set<int64_t> before;
  for (const uint32_t share : {250u, 500u, 1000u}) {
    std::vector<ReplaySite> sites = {*SiteFromText(kIcebox)};
    const std::vector<std::string> order = Order(sites);
    FederationWorkload workload = Jobs(400, 10);
    ASSERT_TRUE(GiveSets({.balanced = share, .set = "speed:oneof"}, sites, workload).ok());
    std::set<int64_t> balanced;
    for (const FederationJob& job : workload.jobs) {
      EXPECT_EQ(job.set, job.balanced ? "speed:oneof" : "");
      if (job.balanced) balanced.insert(job.number);
    }
    EXPECT_NEAR(static_cast<double>(balanced.size()), 0.4 * share, 30);
    for (const int64_t number : before) EXPECT_TRUE(balanced.contains(number));
    EXPECT_EQ(Order(sites), order) << "only placing at random mixes nodes";
    before = std::move(balanced);
  }
}

TEST(NodeSetRules, WhoIsWiderThanEachGroupAsksForNoSetAndIsCounted) {
  const auto without = [](const std::string& set) {
    std::vector<ReplaySite> sites = {*SiteFromText(kIcebox)};
    FederationWorkload workload = Jobs(27, 27);
    EXPECT_TRUE(GiveSets({.set = set}, sites, workload).ok());
    for (const FederationJob& job : workload.jobs) {
      if (job.parts[0] <= 10) EXPECT_EQ(job.set, set);
      if (job.set.empty()) EXPECT_GT(job.parts[0], 10);
    }
    return workload.counts.without_set;
  };
  EXPECT_EQ(without("speed:oneof"), 17u);
  EXPECT_EQ(without("speed~40%:oneof"), 9u) << "60 and 80 % are one group of 18";
  EXPECT_EQ(without("speed:oneof:best"), 0u) << "a mixture takes them all";
}

TEST(NodeSetRules, RandomMixesTheNodesBySeedAndAllOfThemAreOneGroup) {
  std::set<std::vector<std::string>> orders;
  for (const uint64_t seed : {1u, 1u, 2u}) {
    std::vector<ReplaySite> sites = {*SiteFromText(kIcebox)};
    FederationWorkload workload = Jobs(27, 27);
    const NodeSetRules rules{.balanced = 500, .placing = PlacingRule::kRandom, .seed = seed};
    ASSERT_TRUE(GiveSets(rules, sites, workload).ok());
    for (const FederationJob& job : workload.jobs) EXPECT_EQ(job.set, "machine:oneof");
    orders.insert(Order(sites));
  }
  EXPECT_EQ(orders.size(), 2u);
}

TEST(NodeSetRules, APartitionIsDrawnAmongThoseThatAreEnoughInProportionToWhatTheyDo) {
  std::vector<ReplaySite> sites = {*SiteFromText(kIcebox)};
  FederationWorkload workload = Jobs(11'000, 11);
  const NodeSetRules rules{.balanced = 500, .placing = PlacingRule::kPartitions};
  ASSERT_TRUE(GiveSets(rules, sites, workload).ok());
  std::map<int64_t, std::map<std::string, size_t>> drawn;  // by processors
  for (const FederationJob& job : workload.jobs) ++drawn[job.parts[0]][job.set];
  EXPECT_EQ(drawn[11], (std::map<std::string, size_t>{{"", 1000}})) << "the whole machine";
  EXPECT_EQ(drawn[9], (std::map<std::string, size_t>{{"speed=60%:oneof", 1000}}));
  // 4 x 1.2, 8 x 0.8, 10 x 0.6 and 5 x 0.45 are 19.45 together.
  EXPECT_NEAR(static_cast<double>(drawn[1]["speed=120%:oneof"]), 247, 45);
  EXPECT_NEAR(static_cast<double>(drawn[1]["speed=45%:oneof"]), 116, 35);
  EXPECT_EQ(workload.counts.without_set, 1000u);
}

TEST(NodeSetRules, WhatMeansNothingIsAnErrorThatSaysWhatWouldBeRight) {
  const auto error = [](const std::string& site, const NodeSetRules& rules, size_t parts = 1) {
    std::vector<ReplaySite> sites = {*SiteFromText(site)};
    FederationWorkload workload = Jobs(5, 5);
    workload.jobs[0].parts.assign(parts, 1);
    return std::string(Text(GiveSets(rules, sites, workload)));
  };
  EXPECT_EQ(error(kIcebox, {}), "");
  EXPECT_EQ(error("a=flat:8", {}, 2), "");
  EXPECT_NE(error("a=flat:8", {.balanced = 500}).find("speeds:40x120%,76x80%"), std::string::npos);
  EXPECT_NE(error("a=flat:8", {.placing = PlacingRule::kRandom}).find("several speeds"),
            std::string::npos);
  EXPECT_NE(error(kIcebox, {}, 2).find("co-allocations"), std::string::npos);
  EXPECT_NE(
      error(kIcebox, {.set = "speed:oneof", .placing = PlacingRule::kPartitions}).find("one of"),
      std::string::npos);
  EXPECT_NE(error(kIcebox, {.set = "speed:eachof"}).find("set 'speed:eachof': "),
            std::string::npos);
  EXPECT_NE(error(kIcebox, {.set = "rack:oneof"}).find("no group"), std::string::npos);
  EXPECT_FALSE(ParsePlacing("slowest").ok());
  EXPECT_EQ(*ParsePlacing("partitions"), PlacingRule::kPartitions);
}

// All jobs are there at once, on 27 processors of four speeds.
RunSettings Backlog(uint32_t balanced, const std::string& set, const std::string& placing) {
  RunSettings out{.name = "test", .sites = {kIcebox}};
  out.model = Lublin{.jobs = 150, .processors = 8};
  out.exact = true;
  out.backlog = true;
  out.balanced = balanced;
  out.set = set;
  out.placing = placing;
  return out;
}

TEST(NodeSetRules, EveryPromiseIsKeptAndASetLetsNoProcessWait) {
  std::map<std::string, SpeedFigures> figures;
  for (const auto& [set, placing] : {std::pair<std::string, std::string>{"speed:oneof", "fastest"},
                                     {"speed:oneof:best", "fastest"},
                                     {"", "fastest"},
                                     {"", "random"},
                                     {"", "partitions"}}) {
    SCOPED_TRACE(set + placing);
    const auto run = RunReplay(Backlog(1000, set, placing), nullptr);
    ASSERT_TRUE(run.ok()) << Text(run.status());
    EXPECT_EQ(run->result.violations, std::vector<std::string>());
    EXPECT_EQ(run->figures.all.started, 150u);
    EXPECT_EQ(run->figures.all.kept, 150u);
    ASSERT_TRUE(run->speeds.has_value());
    figures[set + placing] = *run->speeds;
    for (size_t i = 0; i < run->workload.jobs.size(); ++i) {
      EXPECT_EQ(run->workload.jobs[i].submitted, run->workload.jobs[0].submitted);
      EXPECT_GT(run->result.jobs[i].held, 0);
    }
  }
  EXPECT_GT(figures["speed:oneoffastest"].efficiency, 0.99);
  EXPECT_GT(figures["partitions"].efficiency, 0.99);
  EXPECT_LT(figures["random"].efficiency, 0.9);
  EXPECT_GT(figures["speed:oneoffastest"].throughput, figures["random"].throughput);
}

TEST(NodeSetRules, JobsThatShareTheirWorkLoseNothingOnMixedNodes) {
  const auto run = RunReplay(Backlog(0, "", "random"), nullptr);
  ASSERT_TRUE(run.ok()) << Text(run.status());
  ASSERT_TRUE(run->speeds.has_value());
  EXPECT_GT(run->speeds->efficiency, 0.99);
  EXPECT_EQ(run->result.violations, std::vector<std::string>());
}

}  // namespace
}  // namespace muster::sim
