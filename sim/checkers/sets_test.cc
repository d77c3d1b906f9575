// What sets mean on a few nodes, by the examples of Maui Sect. IV and scheduling.md, and faults
// that the checker of sets finds where they were planted by hand.
#include <gtest/gtest.h>

#include "base/text/node_set.h"
#include "sim/checkers/checker.h"
#include "sim/checkers/set_choices.h"

namespace muster::sim::sets_test {
namespace {

using schemas::HoldRecord;

struct Given {
  std::vector<NodeFacts> nodes;
  std::vector<ResourceSet> has;
};

// Nodes n1, n2 ... of these speeds, with property "mhz" of a tenth of it and racks a, a, b, b.
Given Nodes(const std::vector<int64_t>& speeds) {
  Given out;
  for (size_t n = 0; n < speeds.size(); ++n) {
    NodeFacts node;
    node.name = "n" + std::to_string(n + 1);
    node.has = {{"ncpus", 4}};
    node.properties = {{"mhz", std::to_string(speeds[n] / 2)}, {"rack", n < 2 ? "a" : "b"}};
    node.speed = speeds[n];
    out.has.push_back(node.has);
    out.nodes.push_back(std::move(node));
  }
  return out;
}

SetChoices Choices(const Given& given, const std::string& set, bool by_clock = false) {
  std::optional<NodeSet> parsed;
  if (!set.empty()) parsed = text::ParseNodeSet(set).value();
  return ChoicesOf(parsed, by_clock, {{1, {{"ncpus", 4}}, {}}}, given.nodes, given.has);
}

using All = std::vector<NodeChoice>;

TEST(SetChoices, RangesOfAToleranceMayShareNodes) {
  const Given given = Nodes({900, 1000, 1100, 1200});
  EXPECT_EQ(Choices(given, "mhz~10%:oneof").all,
            (All{{0b0001, 900}, {0b0110, 1000}, {0b1100, 1100}}));
  EXPECT_EQ(Choices(given, "mhz~50:oneof").all,
            (All{{0b0011, 900}, {0b0110, 1000}, {0b1100, 1100}}));
}

TEST(SetChoices, ARangeInsideOfAnotherIsNone) {
  EXPECT_EQ(Choices(Nodes({1000, 1050, 1100, 500}), "speed~10%:oneof").all,
            (All{{0b1000, 500}, {0b0111, 1000}}));
}

TEST(SetChoices, WithoutASetThereIsALevelForEachSpeed) {
  const SetChoices choices = Choices(Nodes({800, 1000, 800, 500}), "");
  EXPECT_FALSE(choices.groups);
  EXPECT_EQ(choices.all, (All{{0b0010, 1000}, {0b0111, 800}, {0b1111, 500}}));
  EXPECT_EQ(Choices(Nodes({800, 1000, 800, 500}), "", true).all, (All{{0b1111, 1000}}));
}

TEST(SetChoices, AnyOfMixesWhatItNames) {
  const SetChoices choices = Choices(Nodes({800, 1000, 800, 500}), "speed=80%,50%:anyof");
  EXPECT_FALSE(choices.groups);
  EXPECT_EQ(choices.all, (All{{0b0101, 800}, {0b1101, 500}}));
}

TEST(SetChoices, BestMixesNodesOfAtLeastEachSpeed) {
  const SetChoices choices = Choices(Nodes({800, 1000, 800, 500}), "rack=a:oneof:best");
  EXPECT_TRUE(choices.groups);
  EXPECT_EQ(choices.all, (All{{0b0011, 800}, {0b0011, 800}, {0b0010, 1000}}));
}

TEST(SetChoices, OnlyNodesThatCouldHostThePartCount) {
  Given given = Nodes({800, 1000, 800, 500});
  given.has[3] = {{"ncpus", 2}};
  EXPECT_EQ(Choices(given, "rack:oneof").all, (All{{0b0011, 800}, {0b0100, 800}}));
}

TEST(SetChoices, PartsWithoutGroupsShareALevel) {
  const Given given = Nodes({500, 1000});
  const std::vector<std::vector<NodeChoice>> together =
      TogetherOf({Choices(given, ""), Choices(given, ""), Choices(given, "speed:oneof")});
  EXPECT_EQ(together.size(), 4u) << "two levels by two groups";
  for (const std::vector<NodeChoice>& one : together) EXPECT_EQ(one[0], one[1]);
}

TEST(SetChoices, ASiteChoosesForWhoNamesNoneButNotForReservations) {
  site::Options site;
  site.node_set = text::ParseNodeSet("rack:oneof").value();
  EXPECT_EQ(SetAt(site, "", false)->attribute, "rack");
  EXPECT_FALSE(SetAt(site, "", true));
  EXPECT_FALSE(SetAt(site, "none", false));
  EXPECT_EQ(SetAt(site, "speed:oneof", false)->attribute, "speed");
  site.node_set_forced = true;
  EXPECT_EQ(SetAt(site, "speed:oneof", false)->attribute, "rack");
}

// lakes has nodes of 100, 100, 50 and 50 % of the reference; a part of 60 s has this set, nodes and
// longer booking.
size_t FoundWith(const std::string& set, const std::vector<std::string>& nodes, int64_t slower) {
  site::Options site;
  site.name = "lakes";
  for (int n = 1; n <= 4; ++n) {
    site.nodes.push_back({.name = "n" + std::to_string(n), .resources = {{"ncpus", 4}}});
    site.nodes.back().speed = n <= 2 ? 1000 : 500;
  }
  const std::unique_ptr<Checker> checker = CheckSets({.sites = {site}});
  HoldRecord hold;
  hold.order.fence = {{1}, 1};
  hold.order.parts = {
      {.index = 1, .chunks = {{.count = 2, .resources = {{"ncpus", 4}}}}, .duration = {60}}};
  hold.order.parts[0].set = set;
  hold.parts = {{.index = 1, .place = {.index = 1, .slower = {slower}}}};
  for (const std::string& node : nodes) {
    hold.parts[0].place.chunks.push_back({node, {{"ncpus", 4}}});
  }
  checker->OnSiteWrites(Moment{0}, "lakes", {{"hold/x", schemas::SiteRecord{hold}}});
  return checker->violations().size();
}

TEST(SetsFaults, NoneIsFoundWhereAPartHasOneSpeedForAsLongAsItTakes) {
  EXPECT_EQ(FoundWith("speed:oneof", {"n1", "n2"}, 0), 0u);
  EXPECT_EQ(FoundWith("speed:oneof", {"n3", "n4"}, 60), 0u);
  EXPECT_EQ(FoundWith("", {"n2", "n3"}, 60), 0u);
}
TEST(SetsFaults, APartOnTwoSpeedsThatAskedForOne) {
  EXPECT_EQ(FoundWith("speed:oneof", {"n2", "n3"}, 60), 1u);
}
TEST(SetsFaults, APartThatIsBookedTooShortForItsSlowestNode) {
  EXPECT_EQ(FoundWith("speed:oneof", {"n3", "n4"}, 0), 1u);
  EXPECT_EQ(FoundWith("", {"n2", "n3"}, 0), 1u);
}
TEST(SetsFaults, APartThatIsBookedLongerThanItsNodesNeed) {
  EXPECT_EQ(FoundWith("speed:oneof", {"n1", "n2"}, 60), 1u);
}

}  // namespace
}  // namespace muster::sim::sets_test
