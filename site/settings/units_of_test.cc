// From site.toml to units and their geometry.
#include "site/settings/units_of.h"

#include <gtest/gtest.h>

namespace muster::site {
namespace {

config::SiteConfig With(const config::MachineConfig& machine, size_t nodes) {
  config::SiteConfig config;
  config.machine = machine;
  for (size_t i = 0; i < nodes; ++i) config.nodes.push_back({"u" + std::to_string(i), {}, {}, 0});
  return config;
}

TEST(UnitsOf, FlatMachinesAndTreesHaveNone) {
  EXPECT_EQ(UnitsOf(With({.kind = "flat"}, 4)).geometry, nullptr);
  EXPECT_EQ(UnitsOf(With({.kind = "tree"}, 4)).geometry, nullptr);
}

TEST(UnitsOf, AMeshIsReachedThroughItsLinks) {
  const machine::Units units =
      UnitsOf(With({.kind = "mesh", .size = {3, 3}, .links = {"u4"}, .waste_percent = 10}, 9));
  EXPECT_EQ(units.nodes[8], "u8");
  EXPECT_EQ(units.waste_percent, 10);
  const machine::Bits all(9, true);
  const auto placed = units.geometry->FirstWithin(units.geometry->FormsFor(1, 0), all);
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(placed->corner, 4u);
  const machine::Units border =
      UnitsOf(With({.kind = "mesh", .size = {3, 3}, .links_at_border = true}, 9));
  machine::Bits middle(9);
  middle.Set(4);
  EXPECT_FALSE(border.geometry->FirstWithin(border.geometry->FormsFor(1, 0), middle).has_value());
}

TEST(UnitsOf, AHypercubeIsNamedByItsUnitsAndATorusByItsSides) {
  EXPECT_EQ(UnitsOf(With({.kind = "hypercube", .size = {8}}, 8)).geometry->TextOf({4, {3, 0, 0}}),
            "2-cube");
  EXPECT_EQ(UnitsOf(With({.kind = "torus", .size = {2, 3, 4}}, 24)).geometry->unit_count(), 24u);
  EXPECT_EQ(ChoiceOf({.choice = "first-fit"}), machine::Choice::kFirstFit);
  EXPECT_EQ(ChoiceOf({}), machine::Choice::kKnownSet);
}

}  // namespace
}  // namespace muster::site
