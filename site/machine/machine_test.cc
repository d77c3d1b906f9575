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

TEST(Machine, CheapNodesComeFirst) {
  // The greatest share of the machine decides (W_node, OpenCCS Sect. 5.2): g and h have 1/2 of the
  // gpus each, c has 2/9 of the cpus, b, d and e have 1/9 each. The configuration comes first: it
  // calls b dearer than the others.
  const Machine machine({{"g", {{"ncpus", 2}, {"ngpus", 1}}, {}},
                         {"b", {{"ncpus", 1}}, {}, 1},
                         {"c", {{"ncpus", 2}}, {}},
                         {"d", {{"ncpus", 1}}, {}},
                         {"e", {{"ncpus", 1}}, {}},
                         {"h", {{"ncpus", 2}, {"ngpus", 1}}, {}},
                         {"f", {}, {}, -1}},
                        8);
  EXPECT_EQ(machine.cheap_first(), (std::vector<uint32_t>{6, 3, 4, 2, 0, 5, 1}));
}

TEST(Machine, EqualNodesStayInTheirOrder) {
  const Machine machine({{"a", {{"ncpus", 1}}, {}}, {"b", {{"ncpus", 1}}, {}}}, 8);
  EXPECT_EQ(machine.cheap_first(), (std::vector<uint32_t>{0, 1}));
}

// a and b below s1, c below s2, both below core, d below none.
Machine Tree() {
  return Machine({{"a", {}, {}}, {"b", {}, {}}, {"c", {}, {}}, {"d", {}, {}}}, 8,
                 {{"s1", {"a", "b"}, {}}, {"s2", {"c", "gone"}, {}}, {"core", {}, {"s1", "s2"}}});
}

TEST(Machine, SwitchesFormATreeOverNodes) {
  const Machine machine = Tree();
  const Switches& switches = machine.switches();
  ASSERT_EQ(switches.count(), 3u);
  EXPECT_EQ(switches.NodesBelow(0), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(switches.NodesBelow(2), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(switches.Height(1), 0u);
  EXPECT_EQ(switches.Height(2), 1u);
  EXPECT_EQ(switches.Of(2), 1u);
  EXPECT_EQ(switches.Of(3), std::nullopt);
  EXPECT_FALSE(switches.IsBelow(2, 0));
}

TEST(Machine, NodesHaveTheSwitchesAboveThemAsProperties) {
  // sw=g03 of Example 2 of OpenCCS.
  const Machine machine = Tree();
  EXPECT_TRUE(machine.HasProperties(0, {{"sw", "s1"}}));
  EXPECT_TRUE(machine.HasProperties(0, {{"switch", "core"}, {"sw", "s1"}}));
  EXPECT_FALSE(machine.HasProperties(2, {{"sw", "s1"}}));
  EXPECT_FALSE(machine.HasProperties(3, {{"switch", "core"}}));
  EXPECT_FALSE(machine.HasProperties(0, {{"sw", "s9"}}));
  EXPECT_EQ(machine.classes().size(), 1u) << "the meta is told nothing of topology";
}

}  // namespace
}  // namespace muster::machine
