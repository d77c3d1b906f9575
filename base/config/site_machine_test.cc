// [machine] of site.toml: what it describes, and what is said where it is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/config/site_config.h"

namespace muster::config::site_machine_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string File(const std::string& machine, const std::string& rest) {
  return std::string(R"([site]
name      = "gcel"
meta      = "tcp://meta.campus.example:7710"
meta_key  = "Yp3kxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxQ1"
key       = "gcel.key"
state_dir = "/var/lib/muster/gcel"
[machine]
)") + machine +
         "[[nodes]]\n" + rest;
}

constexpr const char* kUnits = "names = \"u[1-16]\"\nresources = { ncpus = 16 }\n";

SiteConfig Read(const std::string& machine, const std::string& rest = kUnits) {
  const Diagnosed<SiteConfig> config = ParseSiteConfig("site.toml", File(machine, rest));
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : Render(config.diagnostic()));
  return config.ok() ? *config : SiteConfig();
}

std::string Error(const std::string& machine, const std::string& rest = kUnits) {
  const Diagnosed<SiteConfig> config = ParseSiteConfig("site.toml", File(machine, rest));
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

TEST(SiteMachine, ReadsAMeshOfProcessorsInUnits) {
  const SiteConfig config = Read(
      "kind = \"mesh\"\nsize = [16, 16]\nunit = [4, 4]\nlinks = \"u[6-7]\"\nwaste = \"10%\"\n");
  EXPECT_EQ(config.machine.kind, "mesh");
  EXPECT_THAT(config.machine.size, ElementsAre(4u, 4u));
  EXPECT_THAT(config.machine.links, ElementsAre("u6", "u7"));
  EXPECT_EQ(config.machine.waste_percent, 10);
  EXPECT_EQ(config.machine.choice, "known-set");
  EXPECT_TRUE(Read("kind = \"mesh\"\nsize = [8, 2]\nlinks = \"border\"\n").machine.links_at_border);
}

TEST(SiteMachine, ReadsCubesAndTori) {
  EXPECT_THAT(Read("kind = \"hypercube\"\nsize = [16]\nchoice = \"first-fit\"\n").machine.size,
              ElementsAre(16u));
  EXPECT_THAT(Read("kind = \"torus\"\nsize = [4, 2, 2]\n").machine.size, ElementsAre(4u, 2u, 2u));
}

TEST(SiteMachine, MakesTheSwitchesOfATreeFromItsSize) {
  const SiteConfig config = Read("kind = \"tree\"\nsize = [8, 2]\n");
  ASSERT_EQ(config.switches.size(), 3u);
  EXPECT_EQ(config.switches[1].name, "switch1-2");
  EXPECT_EQ(config.switches[1].nodes.front(), "u9");
  EXPECT_THAT(config.switches[2].switches, ElementsAre("switch1-1", "switch1-2"));
  EXPECT_EQ(config.planning.policy, PlanningConfig::Policy::kSwitch) << "fullest switch first";
  const std::string greedy = std::string(kUnits) + "[planning]\npolicy = \"greedy\"\n";
  EXPECT_EQ(Read("kind = \"tree\"\nsize = [16]\n", greedy).planning.policy,
            PlanningConfig::Policy::kGreedy);
}

TEST(SiteMachine, PointsAtASizeThatDoesNotFitTheNodes) {
  EXPECT_EQ(Error("kind = \"mesh\"\nsize = [4, 5]\n"),
            "muster: error[config]: this size has 20 units, and there are 16 nodes\n"
            "  --> site.toml:9:8\n"
            " 9 | size = [4, 5]\n"
            "   |        ^^^^^^\n"
            "  help: one node a unit, named in the order of the units\n");
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [16]\n"),
              HasSubstr("a mesh has 2 sizes, not 1\n  --> site.toml:9:8\n"));
  EXPECT_THAT(Error("kind = \"mesh\"\n"), HasSubstr("'size'"));
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [0, 16]\n"), HasSubstr("accepted: 1 to"));
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [18, 16]\nunit = [4, 4]\n"),
              HasSubstr("18 processors are not a whole number of units of 4"));
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [8, 8]\nunit = [2, 2]\n"),
              HasSubstr("a unit has 4 processors, and node 'u1' has 16 ncpus"));
  EXPECT_THAT(Error("kind = \"torus\"\nsize = [5000, 5000, 5000]\n"),
              HasSubstr("a torus has at most 4096 units"));
  EXPECT_THAT(Error("kind = \"hypercube\"\nsize = [12]\n"),
              HasSubstr("12 units are no hypercube\n  --> site.toml:9:8\n"));
}

TEST(SiteMachine, PointsAtWhatDoesNotGoTogether) {
  EXPECT_THAT(Error("kind = \"mehs\"\n"), HasSubstr("did you mean 'mesh'?"));
  EXPECT_THAT(Error("kind = \"flat\"\nsize = [4, 4]\n"), HasSubstr("  --> site.toml:9:1\n"));
  EXPECT_THAT(Error("kind = \"torus\"\nsize = [4, 2, 2]\nlinks = \"border\"\n"),
              HasSubstr("  --> site.toml:10:1\n"));
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [4, 4]\nlinks = \"u99\"\n"),
              HasSubstr("  --> site.toml:10:9\n"));
  const std::string mixed = std::string("names = \"u[1-8]\"\nresources = { ncpus = 16 }\n") +
                            "[[nodes]]\nnames = \"v[1-8]\"\nresources = { ncpus = 8 }\n";
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [4, 4]\n", mixed),
              HasSubstr("units are alike, and 'v1' has other resources than 'u1'"));
  const std::string with_switch =
      std::string(kUnits) + "[[switch]]\nname = \"s\"\nnodes = \"u[1-4]\"\n";
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [4, 4]\n", with_switch),
              HasSubstr("a mesh has no [[switch]]\n  --> site.toml:8:8\n"));
  EXPECT_THAT(Error("kind = \"tree\"\nsize = [8, 2]\n", with_switch),
              HasSubstr("either a size or the switches"));
  EXPECT_THAT(Error("kind = \"tree\"\n"), HasSubstr("a tree has [[switch]]es, or a size"));
  EXPECT_THAT(Error("kind = \"tree\"\nsize = [8, 3]\n"),
              HasSubstr("this size has 24 nodes, and there are 16"));
  const std::string policy = std::string(kUnits) + "[planning]\npolicy = \"best-fit\"\n";
  EXPECT_THAT(Error("kind = \"mesh\"\nsize = [4, 4]\n", policy),
              HasSubstr("a mesh gives whole partitions\n"));
}

}  // namespace
}  // namespace muster::config::site_machine_test
