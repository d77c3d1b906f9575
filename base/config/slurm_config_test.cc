// [slurm] of site.toml, and nodes that the cluster knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config/site_config.h"

namespace muster::config {
namespace {

using ::testing::HasSubstr;

constexpr char kSite[] = R"([site]
name     = "lakes"
meta     = "tcp://127.0.0.1:7710"
meta_key = "0123456789012345678901234567890123456789"
key      = "lakes.key"
state_dir = "/var/lib/muster/lakes"
driver   = "slurm"
[slurm]
conf = "/etc/slurm/slurm.conf"
shared_folder = "/shared/muster"
)";

class SlurmConfigTest : public ::testing::Test {
 protected:
  SlurmConfigTest() {
    for (const char* name : {"n1", "n2", "n3"}) {
      found_.nodes.push_back(
          {.name = name, .resources = {{"ncpus", 4}, {"mem", int64_t{8} << 30}}});
    }
    found_.nodes[2].resources.Set("ngpus", 2);
    found_.nodes[2].properties = {{"feature", "a100"}};
  }
  static std::string With(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  }
  std::string Error(const std::string& text) {
    const Diagnosed<SiteConfig> read = ParseSiteConfig("site.toml", text, {}, &found_);
    return read.ok() ? "read without an error" : Render(read.diagnostic());
  }

  Found found_;
};

TEST_F(SlurmConfigTest, WithoutTheClusterItIsReadAsFarAsThatIsNotNeeded) {
  const std::string text = std::string(kSite) +
                           "commons = [\"mu_commons\", \"partition:fed\"]\n"
                           "max_walls = 40\nstart_ahead = \"6s\"\n"
                           "pending = \"ignore\"\nstrict = false\n"
                           "[federation]\nusers = { kim = \"u1\" }\n[[nodes]]\nnames = \"n1\"\n";
  const Diagnosed<SiteConfig> read = ParseSiteConfig("site.toml", text);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_TRUE(read->partial);
  ASSERT_TRUE(read->slurm.has_value());
  EXPECT_EQ(read->slurm->commons, (std::vector<std::string>{"mu_commons", "partition:fed"}));
  EXPECT_EQ(read->slurm->walls, "commons") << "where there is one";
  EXPECT_EQ(read->slurm->most_walls, 40);
  EXPECT_EQ(read->slurm->start_ahead, Span{6});
  EXPECT_FALSE(read->slurm->strict);
  EXPECT_EQ(read->federation.users.at("kim"), "u1");
}

TEST_F(SlurmConfigTest, LicencesOfTheClusterAreJobWideAndALimitLeavesSomeToOthers) {
  found_.jobwide = {{"licence_matlab", 4}, {"licence_ansys", 9}};
  const std::string text = std::string(kSite) +
                           "[jobwide]\nscratch = 7\n"
                           "[[limit]]\nwho = \"kim\"\nresource = \"licence_ansys\"\n"
                           "items = \"1\"\n";
  const Diagnosed<SiteConfig> read = ParseSiteConfig("site.toml", text, {}, &found_);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->jobwide,
            (ResourceSet{{"licence_ansys", 9}, {"licence_matlab", 4}, {"scratch", 7}}));
  EXPECT_THAT(Error(std::string(kSite) + "[jobwide]\nlicence_matlab = 3\n"),
              HasSubstr("the driver's machine says how many 'licence_matlab' there are"));
}

TEST_F(SlurmConfigTest, ItsNodesAreThoseOfTheClusterToWhichItAdds) {
  const std::string text = std::string(kSite) +
                           "[[nodes]]\nnames = \"n[2-3]\"\nproperties = { rack = 8 }\n"
                           "speed = \"80%\"\n[[limit]]\nwho = \"kim\"\nresource = \"ngpus\"\n"
                           "items = \"1\"\n";
  const Diagnosed<SiteConfig> read = ParseSiteConfig("site.toml", text, {}, &found_);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_FALSE(read->partial);
  ASSERT_EQ(read->nodes.size(), 3u);
  std::map<std::string, NodeConfig> nodes;
  for (const NodeConfig& node : read->nodes) nodes[node.name] = node;
  EXPECT_EQ(nodes.at("n2").properties.at("rack"), "8");
  EXPECT_EQ(nodes.at("n2").speed, 800);
  EXPECT_EQ(nodes.at("n3").resources.Get("ngpus"), 2);
  EXPECT_EQ(nodes.at("n3").properties.at("feature"), "a100");
  EXPECT_EQ(nodes.at("n1").speed, kFullSpeed);
  EXPECT_EQ(read->ranges[nodes.at("n1").range].names, "the rest");
}

TEST_F(SlurmConfigTest, WhatCannotBeIsRefusedWithItsLine) {
  const std::string good = kSite;
  EXPECT_THAT(Error(good + "[[nodes]]\nnames = \"n9\"\n"),
              HasSubstr("the machine has no node 'n9' that the site may use\n  --> site.toml:12"));
  EXPECT_THAT(Error(good + "[[nodes]]\nnames = \"n1\"\nresources = { ncpus = 8 }\n"),
              HasSubstr("the driver's machine says what its nodes have"));
  EXPECT_THAT(Error(good + "walls = \"some\"\n"), HasSubstr("unknown walls 'some'"));
  EXPECT_THAT(Error(good + "walls = \"commons\"\n"),
              HasSubstr("only nodes of the commons are used, and there are none"));
  EXPECT_THAT(Error(good + "commons = [\"fed\"]\nwalls = \"each\"\n"),
              HasSubstr("a job of the cluster is in one reservation"));
  EXPECT_THAT(Error(good + "max_walls = 0\n"), HasSubstr("site.toml:11"));
  EXPECT_THAT(Error(With(good, "conf = \"/etc/slurm/slurm.conf\"\n", "")), HasSubstr("'conf'"));
  EXPECT_THAT(Error(With(good, "\"slurm\"", "\"process\"")),
              HasSubstr("[slurm] is for driver = \"slurm\""));
  found_.nodes.clear();
  EXPECT_THAT(Error(good), HasSubstr("its machine has no node that it may use"));
}

}  // namespace
}  // namespace muster::config
