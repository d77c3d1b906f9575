// [[account]] and [[qos]] of meta.toml: what they may say, and whom they may name.
#include "base/config/qos_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config/meta_config.h"

namespace muster::config {
namespace {

using ::testing::HasSubstr;

constexpr char kBlocks[] = "[scheduler]\nthreshold = \"1h\"\n";

// The smallest good file with a user in a group; the tables begin in line 12.
std::string WithTables(const std::string& tables) {
  return "[meta]\nname = \"campus\"\nlisten = \"tcp://127.0.0.1:*\"\nkey = \"meta.key\"\n"
         "state_dir = \"state\"\n"
         "[[user]]\nname = \"kim\"\nkey = \"" +
         std::string(40, 'k') +
         "\"\ngroups = [\"weather\"]\n[[queue]]\nname = \"normal\"\norder = 1\n" + tables;
}

std::string QosError(const std::string& tables) {
  const auto config = ParseMetaConfig("meta.toml", WithTables(tables));
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

TEST(QosConfig, SaysUnderWhichTermsItsWorkMayBeRecalled) {
  const auto good = ParseMetaConfig(
      "meta.toml", WithTables("[[qos]]\nname = \"patient\"\ngrant = [\"*\"]\nrecall = \"requeue\"\n"
                              "min_run = \"2m\"\ngrace = \"5s\"\nmax_recalls = 2\n"));
  ASSERT_TRUE(good.ok()) << Render(good.diagnostic());
  ASSERT_EQ(good->qos.size(), 1u);
  EXPECT_EQ(good->qos[0].recall, "requeue");
  EXPECT_EQ(good->qos[0].min_run, Span{120});
  EXPECT_EQ(good->qos[0].grace, Span{5});
  EXPECT_EQ(good->qos[0].max_recalls, 2);
  const auto error = [](const std::string& more) {
    return QosError("[[qos]]\nname = \"patient\"\ngrant = [\"*\"]\n" + more);
  };
  EXPECT_THAT(error("recall = \"requeue\"\n"), HasSubstr("for how long is it safe"));
  EXPECT_THAT(error("grace = \"5s\"\n"), HasSubstr("this QoS is not recalled"));
  EXPECT_THAT(error("recall = \"no\"\nmin_run = \"5s\"\n"), HasSubstr("not recalled"));
  EXPECT_THAT(error("recall = \"requeue\"\nmin_run = \"5s\"\ngrace = \"11m\"\n"), HasSubstr("11m"));
  EXPECT_THAT(error("recall = \"freeze\"\n"), HasSubstr("suspend"));
  const std::string suspend = "recall = \"suspend\"\nmin_run = \"5s\"\n";
  EXPECT_EQ(error(suspend), "read without an error");
  EXPECT_THAT(error(suspend + "promise = \"start\"\n"),
              AllOf(HasSubstr("promised no start that it could go on by"),
                    HasSubstr("promise = \"start\" stands in line ")));
}

TEST(QosConfig, IsReadWhole) {
  const auto good = ParseMetaConfig("meta.toml", WithTables(std::string(kBlocks) + R"(
[[account]]
name   = "chem"
owners = ["kim", "@weather"]
[[qos]]
name        = "urgent"
grant       = ["account chem", "@weather"]
default_for = ["kim"]
urgency     = 90
points      = 200
target      = "30m"
promise     = "block"
may         = ["reserve", "deadline", "firm"]
[[share]]
who    = "account chem"
target = "40%"
[priority]
weight = { cred = 10, target = 5 }
points = { "account chem" = 3, "qos urgent" = -3 }
)"));
  ASSERT_TRUE(good.ok()) << Render(good.diagnostic());
  EXPECT_EQ(good->accounts, (std::vector<AccountConfig>{{"chem", {"kim", "@weather"}}}));
  const QosConfig urgent{.name = "urgent",
                         .grant = {"account chem", "@weather"},
                         .default_for = {"kim"},
                         .urgency = 90,
                         .points = 200,
                         .target = Span{1800},
                         .promise = "block",
                         .may = {"reserve", "deadline", "firm"}};
  EXPECT_EQ(good->qos, std::vector<QosConfig>{urgent});
  EXPECT_EQ(good->fairshare->shares.front().who, "account chem");
}

TEST(QosConfig, RefusesWhatIsUnknownOrMeansNothing) {
  const std::string account = "[[account]]\nname = \"chem\"\nowners = [\"kim\"]\n";
  const std::string qos = "[[qos]]\nname = \"urgent\"\n";
  EXPECT_THAT(QosError(account + account), HasSubstr("two accounts are named 'chem'"));
  EXPECT_THAT(QosError("[[account]]\nname = \"chem\"\nowners = [\"kin\"]\n"),
              HasSubstr("unknown user 'kin'"));
  EXPECT_THAT(QosError("[[account]]\nname = \"chem\"\n"), HasSubstr("owners"));
  EXPECT_THAT(QosError(qos), HasSubstr("nobody may ask for this QoS"));
  EXPECT_THAT(QosError(qos + "grant = [\"account bio\"]\n"), HasSubstr("unknown account 'bio'"));
  EXPECT_THAT(QosError(qos + "grant = [\"*\"]\nurgency = 100\n"), HasSubstr("99"));
  EXPECT_THAT(QosError(qos + "grant = [\"*\"]\nmay = [\"fly\"]\n"), HasSubstr("reserve"));
  EXPECT_THAT(QosError(qos + "grant = [\"*\"]\npromise = \"later\"\n"), HasSubstr("submission"));
  EXPECT_THAT(QosError(qos + "grant = [\"*\"]\npromise = \"block\"\n"),
              HasSubstr("there are no blocks"));
  EXPECT_THAT(QosError("[priority]\nweight = { cred = 1 }\npoints = { \"qos fast\" = 1 }\n"),
              HasSubstr("unknown qos 'fast'"));
}

}  // namespace
}  // namespace muster::config
