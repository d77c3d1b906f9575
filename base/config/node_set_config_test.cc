// Speeds of nodes and [nodeset] of site.toml: what is read, and what is refused with what would be
// right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config/site_config.h"

namespace muster::config {
namespace {

using testing::HasSubstr;

constexpr char kTwoSpeeds[] = R"([site]
name     = "lakes"
meta     = "tcp://meta.example.edu:7400"
meta_key = "0123456789012345678901234567890123456789"
key      = "lakes.key"
state_dir = "/var/lib/muster"
driver   = "process"
[[nodes]]
names = "f[1-2]"
resources = { ncpus = 4 }
properties = { rack = 1, arch = "ppc" }
[[nodes]]
names = "s1"
resources = { ncpus = 4 }
speed = "80%"
properties = { rack = 2 }
)";

Diagnosed<SiteConfig> TwoSpeeds(const std::string& more) {
  return ParseSiteConfig("site.toml", kTwoSpeeds + more);
}

std::string Refused(const std::string& more) {
  const Diagnosed<SiteConfig> read = TwoSpeeds(more);
  return read.ok() ? "read" : Render(read.diagnostic());
}

TEST(NodeSetConfig, NodesHaveTheReferenceSpeedUnlessTheySayAnother) {
  const Diagnosed<SiteConfig> read = TwoSpeeds("");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->nodes[0].speed, kFullSpeed);
  EXPECT_EQ(read->nodes[2].speed, 800);
  EXPECT_FALSE(read->node_set.set);
}

TEST(NodeSetConfig, ASiteMayChooseASetForJobs) {
  const Diagnosed<SiteConfig> read =
      TwoSpeeds("[nodeset]\ndefault = \"speed~10%:oneof\"\nforced = true\n");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->node_set.set, (NodeSet{.attribute = "speed", .tolerance = Tolerance{true, 10}}));
  EXPECT_TRUE(read->node_set.forced);
}

TEST(NodeSetConfig, SpeedsAreInPerCentAndFew) {
  EXPECT_THAT(Refused("[[nodes]]\nnames = \"x1\"\nspeed = \"0%\"\nresources = { ncpus = 1 }\n"),
              HasSubstr("site.toml:19:9"));
  std::string many;
  for (int i = 1; i <= 15; ++i) {
    many += "[[nodes]]\nnames = \"x" + std::to_string(i) + "\"\nspeed = \"" + std::to_string(i) +
            "%\"\nresources = { ncpus = 1 }\n";
  }
  EXPECT_THAT(Refused(many), HasSubstr("the nodes have more than 16 speeds"));
}

TEST(NodeSetConfig, ASetThatNoJobCouldGetIsRefused) {
  const auto refused = [](const std::string& set) {
    return Refused("[nodeset]\ndefault = \"" + set + "\"\n");
  };
  EXPECT_THAT(refused("speed"), HasSubstr("how to choose nodes by 'speed' is missing"));
  EXPECT_THAT(refused("sped:oneof"), HasSubstr("did you mean 'speed'?"));
  EXPECT_THAT(refused("sped:oneof"), HasSubstr("declared: arch, rack, speed"));
  EXPECT_THAT(refused("switch"), HasSubstr("no node has 'switch'"));
  EXPECT_THAT(refused("rack=3:oneof"), HasSubstr("declared: 1, 2"));
  EXPECT_THAT(refused("arch~10%:oneof"), HasSubstr("'arch' is also 'ppc'"));
  EXPECT_THAT(Refused("[nodeset]\nforced = true\n"), HasSubstr("[nodeset] names no set"));
}

}  // namespace
}  // namespace muster::config
