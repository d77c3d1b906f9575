// How much rare capacity a part would occupy without asking for it.
#include "partitioner/rarity.h"

#include <gtest/gtest.h>

namespace muster::partitioner::rarity_test {
namespace {

schemas::NodeClass Nodes(uint32_t count, ResourceSet per_node,
                         std::map<std::string, std::string> properties = {}) {
  return {.count = count,
          .up = count,
          .per_node = std::move(per_node),
          .properties = std::move(properties)};
}

schemas::PartSpec Part(uint32_t count, ResourceSet each) {
  schemas::PartSpec out;
  out.chunks = {{.count = count, .resources = std::move(each)}};
  return out;
}

class RarityTest : public testing::Test {
 protected:
  RarityTest() {
    rarity_.Set("hills", {Nodes(2, {{"ncpus", 4}, {"ngpus", 2}})});
    rarity_.Set("lakes", {Nodes(8, {{"ncpus", 4}})});
    rarity_.Set("woods", {Nodes(1, {{"ncpus", 4}, {"ngpus", 4}}), Nodes(3, {{"ncpus", 4}})});
  }
  Rarity rarity_;
};

TEST_F(RarityTest, PlainWorkSpoilsWhatFewNodesHaveAndOnlyThat) {
  EXPECT_EQ(rarity_.SpoilsOf("lakes", Part(1, {{"ncpus", 4}})), 0);
  // One node of hills has 2 of the federation's 8 gpus.
  EXPECT_EQ(rarity_.SpoilsOf("hills", Part(1, {{"ncpus", 4}})), 250'000);
  EXPECT_EQ(rarity_.SpoilsOf("hills", Part(2, {{"ncpus", 4}})), 500'000);
  EXPECT_EQ(rarity_.SpoilsOf("elsewhere", Part(1, {{"ncpus", 4}})), 0);
}

TEST_F(RarityTest, PlainNodesOfASiteAreTakenFirst) {
  EXPECT_EQ(rarity_.SpoilsOf("woods", Part(3, {{"ncpus", 4}})), 0);
  EXPECT_EQ(rarity_.SpoilsOf("woods", Part(4, {{"ncpus", 4}})), 500'000);
}

TEST_F(RarityTest, WhoAsksForItSpoilsNothing) {
  EXPECT_EQ(rarity_.SpoilsOf("hills", Part(1, {{"ncpus", 1}, {"ngpus", 1}})), 0);
}

TEST_F(RarityTest, WhatHalfOfTheNodesHaveIsNotRareAndPropertiesCountAsResourcesDo) {
  rarity_.Set("lakes", {Nodes(8, {{"ncpus", 4}}, {{"net", "fast"}})});
  EXPECT_EQ(rarity_.SpoilsOf("lakes", Part(1, {{"ncpus", 1}})), 0) << "8 of 14 nodes are fast";
  rarity_.Set("plains", {Nodes(8, {{"ncpus", 4}})});
  EXPECT_EQ(rarity_.SpoilsOf("lakes", Part(1, {{"ncpus", 1}})), 125'000) << "8 of 22";
}

}  // namespace
}  // namespace muster::partitioner::rarity_test
