// Expensive resources on whole plans (OpenCCS Sect. 5.4).
#include "site/plan/rules/keeps.h"

#include <gtest/gtest.h>

#include "site/plan/rules/rules_fixture.h"

namespace muster::rules::keeps_test {
namespace {

using plan::Refused;

constexpr Instant kNow{1000000};

// One plain node, and one with GPUs that keeps two cores for them.
struct Keeping {
  Keeping() {
    rules.node_rules = {{}, {}};
    rules.node_rules[1].keep = {{"ncpus", 2}};
    rules.node_rules[1].keep_for = {"ngpus", "acc"};
    rules.rule_of_node = {0, 1};
    nodes = Nodes(1, {{"ncpus", 8}});
    nodes.push_back({"g1", {{"ncpus", 8}, {"ngpus", 4}}, {}});
    for (size_t n = 0; n < nodes.size(); ++n) {
      nodes[n].resources = WithOthers(rules, n, nodes[n].resources);
    }
  }
  plan::Order Of(plan::Order order) const {
    TakeAsOthers(KeepsOf(rules), order);
    return order;
  }
  RuleSet rules;
  std::vector<machine::Node> nodes;
};

TEST(Keeps, OthersGetWhatIsLeftOfANodeAndThoseItIsKeptForGetTheRest) {
  const Keeping site;
  World world(site.nodes, site.rules, kNow);
  const plan::Order core = site.Of(Asks("kim", {{"ncpus", 1}}, 100));
  for (int i = 0; i < 14; ++i) EXPECT_EQ(world.StartOf(core), kNow) << i;
  EXPECT_EQ(world.StartOf(core), kNow + Span{100}) << "8 and 6 are taken";
  const plan::Order gpu = site.Of(Asks("lee", {{"ncpus", 1}, {"ngpus", 1}}, 100));
  EXPECT_EQ(world.StartOf(gpu), kNow);
  EXPECT_EQ(world.StartOf(gpu), kNow);
}

TEST(Keeps, WhatThoseItIsKeptForTakeIsNotTakenTwice) {
  const Keeping site;
  World world(site.nodes, site.rules, kNow);
  EXPECT_EQ(world.StartOf(site.Of(Asks("lee", {{"ncpus", 8}, {"ngpus", 1}}, 100))), kNow);
  EXPECT_EQ(world.StartOf(site.Of(Asks("kim", {{"ncpus", 8}}, 100))), kNow);
  EXPECT_EQ(world.StartOf(site.Of(Asks("kim", {{"ncpus", 1}}, 100))), kNow + Span{100});
}

TEST(Keeps, ANodeThatKeepsSomethingIsNotForOthersAlone) {
  const Keeping site;
  World world(site.nodes, site.rules, kNow);
  plan::Order alone = site.Of(Asks("kim", {{"ncpus", 1}}, 100));
  alone.parts[0].exclusive = true;
  EXPECT_EQ(world.StartOf(alone), kNow);
  EXPECT_EQ(world.StartOf(alone), kNow + Span{100});
  plan::Order gpu = site.Of(Asks("kim", {{"ncpus", 1}, {"ngpus", 1}}, 100));
  gpu.parts[0].exclusive = true;
  EXPECT_EQ(world.StartOf(gpu), kNow);
  alone.parts[0].chunks[0].count = 9;
  const Refused never = world.RefusalOf(alone);
  EXPECT_EQ(never.kind, Refused::Kind::kNever);
  EXPECT_EQ(never.why.text, "g1 is not for jobs alone that ask for none of its ngpus");
}

TEST(Keeps, RulesSpeakOfResourcesAndNotOfWhatOthersMayHave) {
  Keeping site;
  Limit limit;
  limit.items = {{}, 50};
  site.rules.limits = {limit};
  World world(site.nodes, site.rules, kNow);
  EXPECT_EQ(world.StartOf(site.Of(Asks("kim", {{"ncpus", 8}}, 100))), kNow) << "8 of 16";
  for (const Row& row : world.Rows("kim")) EXPECT_FALSE(IsOfOthers(row.what)) << row.what;
  EXPECT_EQ(Shown(site.nodes[1].resources), (ResourceSet{{"ncpus", 8}, {"ngpus", 4}}));
  EXPECT_EQ(Shown(KeepsOf(site.rules)[0].dimension), "ncpus");
}

}  // namespace
}  // namespace muster::rules::keeps_test
