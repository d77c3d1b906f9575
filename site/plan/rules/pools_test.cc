// FreePools, job-wide resources, the federation's share and nodes' own conditions on whole plans
// (OpenCCS Sect. 3, 5.1 and 5.4).
#include <gtest/gtest.h>

#include "site/plan/rules/rules_fixture.h"

namespace muster::rules::pools_test {
namespace {

using plan::Refused;
using plan::Why;

constexpr Instant kNow{1000000};

Pool Keeps(std::string name, std::string resource, Quota keep, std::string_view open_to) {
  Pool pool;
  pool.name = std::move(name);
  pool.resource = std::move(resource);
  pool.keep = keep;
  pool.open_to = If(open_to);
  return pool;
}

// Sect. 3: "Keep free 20% of the available cores but at minimum 10 cores for jobs which request
// less than four cores for less than one hour."
TEST(Pools, CoresAreKeptForSmallAndShortJobs) {
  const RuleSet rules{
      .pools = {Keeps("quick", "ncpus", {{10}, 20}, "ncpus < 4 and duration < 1h")}};
  World world(Nodes(8, {{"ncpus", 5}}), rules, kNow);  // 40 cores: 10 is more than 20 %
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 5}}, 2 * kHour, 6)), kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 3}}, kHour)), kNow + Span{2 * kHour});
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 3}}, kHour - 1)), kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, kHour - 1, 4)), kNow + Span{2 * kHour})
      << "four cores as a whole";
  EXPECT_EQ(world.RefusalOf(Asks("kim", {{"ncpus", 1}}, kHour, 31)).kind, Refused::Kind::kNever);
}

TEST(Pools, AShareIsOfWhatIsInService) {
  const RuleSet rules{.pools = {Keeps("quick", "ncpus", {{10}, 20}, "duration < 1h")}};
  World world(Nodes(10, {{"ncpus", 10}}), rules, kNow);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, kHour, 80)), kNow) << "20 % of 100";
  world.FreeLast();
  for (uint32_t n = 0; n < 7; ++n) world.SetUsable(n, false);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, kHour, 20)), kNow) << "10 of 30";
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, kHour)), kNow + Span{kHour});
}

// Sect. 3: "Keep all GPUs free for the groups G1, G2 and user alice. All others may use the GPUs
// only for a maximum of two hours."
TEST(Pools, GpusAreKeptForSomeAndLentToOthersForTwoHours) {
  const RuleSet rules{.pools = {Keeps("gpu-groups", "ngpus", {{}, 100},
                                      "group in (g1, g2) or user = alice or duration <= 2h")}};
  World world(Nodes(2, {{"ncpus", 16}, {"ngpus", 4}}), rules, kNow);
  const ResourceSet gpu{{"ngpus", 1}};
  EXPECT_EQ(world.StartOf(Asks("kim", gpu, 2 * kHour)), kNow);
  EXPECT_EQ(world.StartOf(Asks("alice", gpu, 9 * kHour)), kNow);
  EXPECT_EQ(world.StartOf(InGroups(Asks("kim", gpu, 9 * kHour), {"g2"})), kNow);
  const Refused never = world.RefusalOf(Asks("kim", gpu, 2 * kHour + 1));
  EXPECT_EQ(never.kind, Refused::Kind::kNever);
  EXPECT_EQ(never.why.code, Why::Code::kFreepool);
  EXPECT_EQ(never.why.text, "pool gpu-groups keeps 100% of ngpus free");
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 9 * kHour)), kNow);
}

// Sect. 3: "Reserve all nodes hosting GPUs for maintenance each two months on Monday from 8am to
// 6pm": the first Monday of every second month.
TEST(Pools, GpusAreKeptForMaintenanceEverySecondMonth) {
  Pool pool = Keeps("maintenance", "ngpus", {{}, 100}, "user = operator");
  pool.valid = Valid("cron 0 8 1-7 */2 Mon for 10h");
  World world(Nodes(2, {{"ncpus", 16}, {"ngpus", 4}}), {.pools = {pool}}, At(2026, 11, 1));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ngpus", 1}}, 32 * kHour)), At(2026, 11, 1));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ngpus", 1}}, 33 * kHour)), At(2026, 11, 2, 18))
      << "Monday, 2 November, 08 to 18 is not for it";
  world.Go(At(2026, 12, 7, 9));
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ngpus", 1}}, kHour)), At(2026, 12, 7, 9))
      << "not in December";
}

TEST(Pools, WholeNodesCountWithAllTheyHave) {
  const RuleSet rules{.pools = {Keeps("quick", "ncpus", {{10}, {}}, "duration < 1h")}};
  World world(Nodes(4, {{"ncpus", 10}}), rules, kNow);
  plan::Order alone = Asks("kim", {{"ncpus", 1}}, kHour, 11);
  alone.parts[0].exclusive = true;
  EXPECT_EQ(world.StartOf(alone), kNow) << "two nodes of four";
  EXPECT_EQ(world.StartOf(alone), kNow + Span{kHour}) << "one node and not the ten cores kept";
}

TEST(Pools, ANodeForOneAloneIsNotTakenFromThoseItsGpusAreKeptFor) {
  std::vector<machine::Node> nodes = Nodes(2, {{"ncpus", 16}});
  nodes.push_back({"g1", {{"ncpus", 16}, {"ngpus", 4}}, {}});
  World world(nodes, {.pools = {Keeps("gpus", "ngpus", {{}, 100}, "group = g1")}}, kNow);
  plan::Order alone = Asks("kim", {{"ncpus", 1}}, kHour, 1);
  alone.parts[0].exclusive = true;
  EXPECT_EQ(world.StartOf(alone), kNow);
  EXPECT_EQ(world.StartOf(alone), kNow);
  EXPECT_EQ(world.StartOf(alone), kNow + Span{kHour});
  EXPECT_EQ(world.StartOf(InGroups(alone, {"g1"})), kNow);
}

TEST(Jobwide, ResourcesOfTheSiteAreCountedOverAllItsNodes) {
  World world(Nodes(8, {{"ncpus", 4}}), {.jobwide = {{"lic", 20}}}, kNow);
  plan::Order order = Asks("kim", {{"ncpus", 1}}, 100);
  order.parts[0].jobwide = {{"lic", 12}};
  EXPECT_EQ(world.StartOf(order), kNow);
  EXPECT_EQ(world.WhyNotNow(order)->text, "there are 20 lic");
  EXPECT_EQ(world.StartOf(order), kNow + Span{100});
  order.parts[0].jobwide = {{"lic", 8}};
  EXPECT_EQ(world.StartOf(order), kNow);
  order.parts[0].jobwide = {{"lic", 21}};
  EXPECT_EQ(world.RefusalOf(order).kind, Refused::Kind::kNever);
}

TEST(Jobwide, WhatTheSiteDoesNotHaveIsNever) {
  World world(Nodes(1, {{"ncpus", 4}}), {}, kNow);
  plan::Order order = Asks("kim", {{"ncpus", 1}}, 100);
  order.parts[0].jobwide = {{"ncpus", 1}};
  EXPECT_EQ(world.RefusalOf(order).kind, Refused::Kind::kNever);
  order.parts[0].jobwide = {{"lic", 1}};
  const Refused never = world.RefusalOf(order);
  EXPECT_EQ(never.kind, Refused::Kind::kNever);
  EXPECT_EQ(never.why.text, "no job-wide lic here");
}

TEST(Jobwide, LimitsAndPoolsSpeakOfThemToo) {
  Limit limit;
  limit.resource = "lic";
  limit.items = {{5}, {}};
  const RuleSet rules{.limits = {limit},
                      .pools = {Keeps("course", "lic", {{15}, {}}, "group = course")},
                      .jobwide = {{"lic", 20}}};
  World world(Nodes(8, {{"ncpus", 4}}), rules, kNow);
  plan::Order order = Asks("kim", {{"ncpus", 1}}, 100);
  order.parts[0].jobwide = {{"lic", 3}};
  EXPECT_EQ(world.StartOf(order), kNow);
  EXPECT_EQ(world.StartOf(order), kNow + Span{100}) << "5 of a user";
  order.who.user = "lee";
  EXPECT_EQ(world.StartOf(order), kNow + Span{200}) << "5 of 20 for others than the course";
  EXPECT_EQ(world.StartOf(InGroups(order, {"course"})), kNow + Span{0});
}

TEST(Share, WhatComesByTheMetaLeavesItsPartToTheSitesOwnUsers) {
  World world(Nodes(4, {{"ncpus", 10}}), {.federation_percent = 80}, kNow);
  plan::Order order = Asks("kim", {{"ncpus", 8}}, 100, 4);
  order.who.federated = true;
  EXPECT_EQ(world.StartOf(order), kNow);
  plan::Order one = Asks("lee", {{"ncpus", 1}}, 100);
  EXPECT_EQ(world.StartOf(one), kNow);
  one.who.federated = true;
  EXPECT_EQ(world.StartOf(one), kNow + Span{100});
  order.parts[0].chunks[0].resources = {{"ncpus", 9}};
  EXPECT_EQ(world.RefusalOf(order).kind, Refused::Kind::kNever);
}

// Sect. 5.4: "jobs may only be mapped to an SMP node if they request at least 80 g virtual memory,
// or 66 g memory, or 17 cores, or their duration is <= 12 h."
TEST(Nodes, AnExpensiveNodeTakesOnlyWhatNeedsItOrIsShort) {
  std::vector<machine::Node> nodes = Nodes(1, {{"ncpus", 16}, {"mem", 64}});
  nodes.push_back({"smp", {{"ncpus", 32}, {"mem", 1024}}, {}});
  RuleSet rules;
  rules.node_rules = {{},
                      {.only = If("mem >= 66 or ncpus >= 17 or duration <= 12h"),
                       .only_text = "mem >= 66 or ncpus >= 17 or duration <= 12h"}};
  rules.rule_of_node = {0, 1};
  World world(nodes, rules, kNow);
  const auto node_of = [&](const plan::Order& order) {
    const plan::Answer answer = world.Book(order);
    return std::get<plan::Placed>(answer).mapping[0][0].node;
  };
  EXPECT_EQ(node_of(Asks("kim", {{"ncpus", 16}}, 13 * kHour)), 0u);
  EXPECT_EQ(world.StartOf(Asks("kim", {{"ncpus", 1}}, 13 * kHour)), kNow + Span{13 * kHour});
  EXPECT_EQ(node_of(Asks("kim", {{"ncpus", 1}}, 12 * kHour)), 1u);
  EXPECT_EQ(node_of(Asks("kim", {{"ncpus", 17}}, 13 * kHour)), 1u);
  EXPECT_EQ(node_of(Asks("kim", {{"ncpus", 1}, {"mem", 66}}, 13 * kHour)), 1u);
  plan::Order wide = Asks("kim", {{"ncpus", 16}}, 13 * kHour, 2);
  const Refused never = world.RefusalOf(wide);
  EXPECT_EQ(never.kind, Refused::Kind::kNever);
  EXPECT_EQ(never.why.text, "smp takes only mem >= 66 or ncpus >= 17 or duration <= 12h");
  EXPECT_EQ(never.largest.front().count, 1u);
}

TEST(Nodes, ChunksOfOnePartAreJudgedEachByItself) {
  std::vector<machine::Node> nodes = Nodes(1, {{"ncpus", 16}});
  nodes.push_back({"g1", {{"ncpus", 16}, {"ngpus", 4}}, {}});
  RuleSet rules;
  rules.node_rules = {{.only = If("ngpus >= 1"), .only_text = "ngpus >= 1"}};
  rules.rule_of_node = {kNoRule, 0};
  World world(nodes, rules, kNow);
  plan::Order order = Asks("kim", {{"ncpus", 2}}, kHour, 9);
  order.parts[0].chunks.push_back({2, {{"ncpus", 1}, {"ngpus", 1}}, {}});
  EXPECT_EQ(world.RefusalOf(order).kind, Refused::Kind::kNever) << "18 cores for the plain chunks";
  order.parts[0].chunks[0].count = 8;
  EXPECT_EQ(world.StartOf(order), kNow);
}

}  // namespace
}  // namespace muster::rules::pools_test
