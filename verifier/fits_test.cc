// What node classes alone tell of a request: properties with a value (OpenCCS Example 2), and what
// a class that stands for several kinds of nodes says and does not say.
#include "verifier/fits.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

using schemas::Capacity;
using schemas::PartSpec;

schemas::NodeClass Kind(ResourceSet resources, std::map<std::string, std::string> properties) {
  return {.count = 2, .up = 2, .per_node = std::move(resources), .properties = properties};
}
PartSpec Asking(ResourceSet resources) {
  PartSpec part;
  part.chunks = {{.count = 2, .resources = std::move(resources)}};
  return part;
}

TEST(NameProperties, AWholeNumberIsTheValueOfAPropertyWhereNodesHaveOneOfThatName) {
  Capacity site;
  site.classes = {Kind({{"ncpus", 4}}, {{"rack", "8"}})};
  PartSpec part = Asking({{"ncpus", 2}, {"rack", 8}});
  NameProperties(part, {&site});
  EXPECT_EQ(part.chunks[0].resources, ResourceSet({{"ncpus", 2}}));
  EXPECT_EQ(part.chunks[0].properties, (std::map<std::string, std::string>{{"rack", "8"}}));
  EXPECT_FALSE(WhyNever(part, site).has_value());
  part = Asking({{"ncpus", 2}, {"rack", 9}});
  NameProperties(part, {&site});
  ASSERT_TRUE(WhyNever(part, site).has_value());
  EXPECT_EQ(WhyNever(part, site)->text, "no node has rack=9");
}

TEST(NameProperties, WhatSomeSiteCountsOrNoneKnowsStaysAnAmount) {
  Capacity named;
  named.classes = {Kind({{"ncpus", 4}}, {{"rack", "8"}})};
  Capacity counted;
  counted.classes = {Kind({{"ncpus", 4}, {"rack", 16}}, {})};
  PartSpec part = Asking({{"ncpus", 1}, {"rack", 8}, {"token", 3}});
  const PartSpec before = part;
  NameProperties(part, {&named, &counted});
  EXPECT_EQ(part, before);
  NameProperties(part, {});
  EXPECT_EQ(part, before);
  NameProperties(part, {&named});
  EXPECT_EQ(part.chunks[0].resources, ResourceSet({{"ncpus", 1}, {"token", 3}}));
}

TEST(NameProperties, BehindTheCommaItIsOfEveryChunkThatSaysNoOther) {
  Capacity site;
  site.classes = {Kind({{"ncpus", 4}}, {{"rack", "8"}})};
  PartSpec part = Asking({{"ncpus", 1}});
  part.chunks.push_back({.count = 1, .resources = {{"ncpus", 1}, {"rack", 7}}});
  part.jobwide = {{"licence", 2}, {"rack", 8}};
  NameProperties(part, {&site});
  EXPECT_EQ(part.jobwide, ResourceSet({{"licence", 2}}));
  EXPECT_EQ(part.chunks[0].properties.at("rack"), "8");
  EXPECT_EQ(part.chunks[1].properties.at("rack"), "7");
}

// "Never" must be certain, and a class of several kinds does not tell all their values.
TEST(WhyNever, AClassOfSeveralKindsRefusesNoValueOfAPropertyThatItsNodesHave) {
  Capacity site;
  site.classes = {Kind({{"ncpus", 4}}, {{"rack", "1"}}), Kind({{"ncpus", 4}}, {{"rack", "2"}})};
  site.classes[1].mixed = true;
  PartSpec part = Asking({{"ncpus", 1}});
  part.chunks[0].properties = {{"rack", "9"}};
  EXPECT_FALSE(WhyNever(part, site).has_value());
  part.chunks[0].properties = {{"arch", "arm"}};
  EXPECT_TRUE(WhyNever(part, site).has_value());
}

}  // namespace
}  // namespace muster::verifier
