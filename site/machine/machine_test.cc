// The flat cluster's tables and its classes of equal nodes.
#include "site/machine/machine.h"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

TEST(Machine, FindsNodesAndResourcesByName) {
  const Machine machine({{"n2", {{"ncpus", 4}, {"mem", 8}}, {}}, {"g1", {{"ngpus", 1}}, {}}}, 8);
  EXPECT_EQ(machine.node_count(), 2u);
  EXPECT_EQ(machine.FindNode("g1"), 1u);
  EXPECT_EQ(machine.FindNode("n1"), std::nullopt);
  ASSERT_TRUE(machine.FindResource("ncpus").has_value());
  EXPECT_EQ(machine.Amount(0, *machine.FindResource("ncpus")), 4);
  EXPECT_EQ(machine.Amount(1, *machine.FindResource("ncpus")), 0);
  EXPECT_EQ(machine.Total(*machine.FindResource("ngpus")), 1);
  EXPECT_EQ(machine.FindResource("licences"), std::nullopt);
}

TEST(Machine, MatchesPropertiesByNameAndValue) {
  const Machine machine({{"n1", {}, {{"arch", "x86_64"}, {"net", "ib"}}}}, 8);
  EXPECT_TRUE(machine.HasProperties(0, {}));
  EXPECT_TRUE(machine.HasProperties(0, {{"net", "ib"}}));
  EXPECT_FALSE(machine.HasProperties(0, {{"net", "opa"}}));
  EXPECT_FALSE(machine.HasProperties(0, {{"rack", "1"}}));
}

TEST(Machine, EqualNodesShareAClassWhereverTheyStand) {
  const Machine machine(
      {{"a", {{"ncpus", 4}}, {}}, {"b", {{"ncpus", 8}}, {}}, {"c", {{"ncpus", 4}}, {}}}, 8);
  ASSERT_EQ(machine.classes().size(), 2u);
  EXPECT_EQ(machine.classes()[0].nodes, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(machine.ClassOf(1), 1u);
  EXPECT_FALSE(machine.classes()[0].mixed);
}

TEST(Machine, TooManyKindsShareTheLastClassWithTheLargestAmounts) {
  const Machine machine({{"a", {{"ncpus", 1}}, {}},
                         {"b", {{"ncpus", 2}}, {{"acc", "fpga"}}},
                         {"c", {{"ncpus", 8}, {"ngpus", 1}}, {}},
                         {"d", {{"ncpus", 1}}, {}}},
                        2);
  ASSERT_EQ(machine.classes().size(), 2u);
  EXPECT_EQ(machine.classes()[0].nodes, (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(machine.classes()[1].nodes, (std::vector<uint32_t>{1, 2}));
  EXPECT_TRUE(machine.classes()[1].mixed);
  EXPECT_EQ(machine.classes()[1].per_node, (ResourceSet{{"ncpus", 8}, {"ngpus", 1}}));
  EXPECT_EQ(machine.classes()[1].properties.at("acc"), "fpga");
}

}  // namespace
}  // namespace muster::machine
