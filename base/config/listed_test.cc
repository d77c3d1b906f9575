// Validities of users, groups and nodes, and properties with a value, as the files write them.
#include <gtest/gtest.h>

#include "base/config/meta_config.h"
#include "base/config/site_config.h"

namespace muster::config {
namespace {

std::string Key(char c) { return std::string(40, c); }

Diagnosed<MetaConfig> Meta(const std::string& more) {
  return ParseMetaConfig("meta.toml",
                         "[meta]\nname = \"campus\"\nlisten = \"tcp://127.0.0.1:7710\"\n"
                         "key = \"k\"\nstate_dir = \"s\"\ntime_zone = \"Europe/Berlin\"\n"
                         "[[user]]\nname = \"kim\"\nkey = \"" +
                             Key('k') + "\"\nvalid = \"until 2027-02-28\"\n" + more);
}

Diagnosed<SiteConfig> Site(const std::string& nodes, bool refuse_past = true) {
  const std::string site =
      "[site]\nname = \"lakes\"\nmeta = \"tcp://127.0.0.1:7710\"\nmeta_key = \"" + Key('m') +
      "\"\nkey = \"k\"\nstate_dir = \"s\"\n";
  return ParseSiteConfig("site.toml", site + nodes,
                         AsOf{FromCivil({2026, 11, 21, 0, 0, 0}), refuse_past});
}

TEST(Listed, UsersAndGroupsHaveValiditiesInTheFederationsZone) {
  const auto read = Meta("[[group]]\nname = \"g1\"\nvalid = \"cron 0 8 * * Mon-Fri for 10h\"\n");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  const Validities& all = read->validities;
  EXPECT_EQ(all.users.at("kim").text, "until 2027-02-28");
  EXPECT_EQ(all.groups.at("g1").valid.kind, Validity::Kind::kCron);
  EXPECT_EQ(EndOf(all.users.at("kim").valid, all.zone), FromCivil({2027, 2, 28, 23, 0, 0}));
}

TEST(Listed, AGroupSaysWhenAndOnce) {
  const auto refused = [](const std::string& more) {
    const auto read = Meta(more);
    return read.ok() ? std::string() : read.diagnostic().message;
  };
  EXPECT_EQ(refused("[[group]]\nname = \"g1\"\n"), "[[group]] needs 'valid'");
  EXPECT_NE(refused("[[group]]\nname = \"g1\"\nvalid = \"until 2027-02-31\"\n").find("2027-02-31"),
            std::string::npos);
  const std::string g1 = "[[group]]\nname = \"g1\"\nvalid = \"until 2027-02-28\"\n";
  EXPECT_EQ(refused(g1 + g1), "two groups are named 'g1'");
}

TEST(Listed, NodesHaveValiditiesAndNumbersForProperties) {
  const auto read = Site(
      "[[nodes]]\nnames = \"n[1-2]\"\nresources = { ncpus = 4 }\n"
      "properties = { rack = 8, row = \"007\", arch = \"arm\" }\nvalid = \"until 2020-01-01\"\n");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->nodes[0].properties,
            (std::map<std::string, std::string>{{"arch", "arm"}, {"rack", "8"}, {"row", "7"}}));
  EXPECT_EQ(read->ranges[0].valid.kind, Validity::Kind::kBetween);
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_NE(read->warnings[0].find("valid of [[nodes]] n[1-2] is in the past"), std::string::npos);
}

TEST(Listed, ANameIsAResourceOrAPropertyAndNotBoth) {
  const auto read = Site(
      "[[nodes]]\nnames = \"n1\"\nresources = { ncpus = 4, rack = 2 }\n"
      "[[nodes]]\nnames = \"n2\"\nresources = { ncpus = 4 }\nproperties = { rack = 8 }\n");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.diagnostic().message,
            "'rack' is a resource of some nodes and a property of others");
}

}  // namespace
}  // namespace muster::config
