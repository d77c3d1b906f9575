// What occupies the nodes of a site, without a plan or holds.
#include "site/nodes/nodes.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

constexpr Now kStart{.boot = {0}, .wall = {1'700'000'000'000}};
const PartKey kPart{{{1}, 7}, 1};

Options TwoPorts() {
  Options options;
  options.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"n2", {{"ncpus", 4}}, {}}};
  options.first_port = 20000;
  options.last_port = 20001;
  return options;
}

schemas::PartPlace On(const std::string& node, int64_t cpus = 4) {
  return {.chunks = {{node, {{"ncpus", cpus}}}}};
}

TEST(Nodes, ATokenNamesAPartWhileItMayHaveProcesses) {
  Nodes nodes(TwoPorts(), kStart);
  EXPECT_EQ(nodes.ByToken("1-7.1.1"), nullptr);
  nodes.Enter(kPart, "1-7.1.1", On("n1"), false);
  ASSERT_NE(nodes.ByToken("1-7.1.1"), nullptr);
  EXPECT_EQ(*nodes.ByToken("1-7.1.1"), kPart);
  EXPECT_FALSE(nodes.Clean(On("n1", 1), false));
  nodes.Leave(kPart, "1-7.1.1");
  EXPECT_EQ(nodes.ByToken("1-7.1.1"), nullptr);
  EXPECT_TRUE(nodes.Clean(On("n1", 1), false));
}

TEST(Nodes, APartThatWasResizedIsWhereItIsNowUnderItsOldToken) {
  Nodes nodes(TwoPorts(), kStart);
  nodes.Enter(kPart, "t", On("n1"), false);
  nodes.Replace(kPart, On("n2"), false);
  EXPECT_TRUE(nodes.Clean(On("n1"), false));
  EXPECT_EQ(nodes.PartsOn(On("n2")), std::vector<PartKey>{kPart});
  EXPECT_NE(nodes.ByToken("t"), nullptr);
}

TEST(Nodes, PortsAreTakenForAllPartsOrForNone) {
  Nodes nodes(TwoPorts(), kStart);
  std::vector<schemas::PartRecord> three(3);
  EXPECT_FALSE(nodes.TakePorts(three));
  for (const schemas::PartRecord& part : three) EXPECT_EQ(part.rendezvous, "");
  std::vector<schemas::PartRecord> two(2);
  ASSERT_TRUE(nodes.TakePorts(two));
  EXPECT_NE(two[0].rendezvous, two[1].rendezvous);
  const std::string kept = two[0].rendezvous;
  ASSERT_TRUE(nodes.TakePorts(two)) << "who has one keeps it";
  EXPECT_EQ(two[0].rendezvous, kept);
  std::vector<schemas::PartRecord> one(1);
  EXPECT_FALSE(nodes.TakePorts(one));
  nodes.GiveBackPort(kept);
  ASSERT_TRUE(nodes.TakePorts(one));
  EXPECT_EQ(one[0].rendezvous, kept);
}

TEST(Nodes, ThatNodesMayBeBackIsTakenOnceAndAfterARestart) {
  Nodes nodes(TwoPorts(), kStart);
  EXPECT_TRUE(nodes.TakeMayBeBack());
  EXPECT_FALSE(nodes.TakeMayBeBack());
  nodes.MayBeBack();
  EXPECT_TRUE(nodes.TakeMayBeBack());
}

TEST(Nodes, WhatWasAskedForInATurnIsGoneWithTheNext) {
  Nodes nodes(TwoPorts(), kStart);
  nodes.Note("one");
  EXPECT_EQ(nodes.TakeEffects().notes, std::vector<std::string>{"one"});
  EXPECT_TRUE(nodes.TakeEffects().notes.empty());
  nodes.Note("two");
  nodes.BeginTurn(kStart);
  EXPECT_TRUE(nodes.TakeEffects().notes.empty());
}

}  // namespace
}  // namespace muster::site
