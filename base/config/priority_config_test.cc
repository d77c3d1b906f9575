// [priority] of meta.toml: what it may name, and its bounds.
#include "base/config/priority_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/config/meta_config.h"

namespace muster::config {
namespace {

using ::testing::HasSubstr;

// The smallest good file with two users; the table begins in line 19.
std::string WithPriority(const std::string& table) {
  return "[meta]\nname = \"campus\"\nlisten = \"tcp://127.0.0.1:*\"\nkey = \"meta.key\"\n"
         "state_dir = \"state\"\n"
         "[[queue]]\nname = \"debug\"\norder = 8\n[[queue]]\nname = \"normal\"\norder = 4\n"
         "[[user]]\nname = \"kim\"\nkey = \"" +
         std::string(40, 'k') + "\"\ngroups = [\"weather\"]\n[[user]]\nname = \"bo\"\nkey = \"" +
         std::string(40, 'b') + "\"\n" + table;
}

std::string PriorityError(const std::string& table) {
  const auto config = ParseMetaConfig("meta.toml", WithPriority(table));
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

TEST(PriorityConfig, IsReadWhole) {
  const auto config = ParseMetaConfig("meta.toml", WithPriority(R"([priority]
tick       = "30s"
queue_full = "12h"
x_full     = 20
weight     = { cred = 1000, queue = 2000, xfactor = 500, procs = -100, mem = 1, area = 0 }
points     = { kim = 50, "@weather" = 300, "queue debug" = -200 }
)"));
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  const PriorityConfig wanted{.tick = Span{30},
                              .weights = {{"cred", 1000},
                                          {"queue", 2000},
                                          {"xfactor", 500},
                                          {"procs", -100},
                                          {"mem", 1},
                                          {"area", 0}},
                              .queue_full = Span{12 * 3600},
                              .x_full = 20,
                              .points = {{"kim", 50}, {"@weather", 300}, {"queue debug", -200}}};
  EXPECT_EQ(config->priority, wanted);
}

TEST(PriorityConfig, IsNoneWithoutItsTableAndHasDefaultsWithIt) {
  EXPECT_EQ(ParseMetaConfig("meta.toml", WithPriority(""))->priority, std::nullopt);
  const auto config =
      ParseMetaConfig("meta.toml", WithPriority("[priority]\nweight = { queue = 1 }\n"));
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_EQ(config->priority->tick, Span{60});
  EXPECT_EQ(config->priority->queue_full, Span{86'400});
}

TEST(PriorityConfig, RefusesWhatIsUnknownOrMeansNothing) {
  EXPECT_THAT(PriorityError("[priority]\ntick = \"1m\"\n"), HasSubstr("[priority] needs 'weight'"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { luck = 1 }\n"), HasSubstr("luck"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1000001 }\n"),
              HasSubstr("accepted: -1000000 to 1000000"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\npoints = { kin = 5 }\n"),
              HasSubstr("unknown user 'kin'"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\npoints = { kin = 5 }\n"),
              HasSubstr("users here: kim, bo"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\npoints = { \"@wether\" = 5 }\n"),
              HasSubstr("unknown group 'wether'"));
  EXPECT_THAT(
      PriorityError("[priority]\nweight = { queue = 1 }\npoints = { \"queue fast\" = 5 }\n"),
      HasSubstr("unknown queue 'fast'"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\npoints = { kim = 1001 }\n"),
              HasSubstr("accepted: -1000 to 1000"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\ntick = \"2d\"\n"),
              HasSubstr("tick"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\nx_full = 0\n"),
              HasSubstr("accepted: 1 to 1000"));
  EXPECT_THAT(PriorityError("[priority]\nweight = { queue = 1 }\nweights = { queue = 1 }\n"),
              HasSubstr("weights"));
}

TEST(FairshareConfig, IsReadWhole) {
  const auto config = ParseMetaConfig("meta.toml", WithPriority(R"([fairshare]
window = "12h"
depth  = 14
decay  = 0.5
metric = "used"
booked = "50%"
[[share]]
who    = "@weather"
target = "40%"
[[share]]
who   = "bo"
floor = "10%"
)"));
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  const FairshareConfig wanted{
      .window = Span{12 * 3600},
      .depth = 14,
      .decay_thousandths = 500,
      .metric = "used",
      .booked_percent = 50,
      .shares = {{.who = "@weather", .target_percent = 40}, {.who = "bo", .floor_percent = 10}}};
  EXPECT_EQ(config->fairshare, wanted);
  EXPECT_EQ(ParseMetaConfig("meta.toml", WithPriority(""))->fairshare, std::nullopt);
}

TEST(FairshareConfig, OfATreeNamesParents) {
  const std::string tree = "[fairshare]\nmethod = \"tree\"\n";
  const auto share = [](const std::string& who, const std::string& keys) {
    return "[[share]]\nwho = \"" + who + "\"\n" + keys;
  };
  const std::string weather = share("@weather", "target = \"60%\"\n");
  const auto config = ParseMetaConfig(
      "meta.toml",
      WithPriority(tree + weather + share("kim", "target = \"70%\"\nparent = \"@weather\"\n") +
                   share("bo", "target = \"40%\"\n")));
  ASSERT_TRUE(config.ok()) << Render(config.diagnostic());
  EXPECT_TRUE(config->fairshare->tree);
  EXPECT_EQ(config->fairshare->shares[1].parent, "@weather");

  EXPECT_THAT(PriorityError(weather + share("kim", "target = \"7%\"\nparent = \"@weather\"\n")),
              HasSubstr("only shares of a tree have a parent"));
  EXPECT_THAT(PriorityError(tree + share("kim", "floor = \"7%\"\n")),
              HasSubstr("in a tree each share is a target"));
  EXPECT_THAT(PriorityError(tree + share("kim", "target = \"7%\"\nparent = \"@weather\"\n")),
              HasSubstr("no share is of @weather"));
  EXPECT_THAT(PriorityError(tree + share("@weather", "target = \"6%\"\nparent = \"kim\"\n") +
                            share("kim", "target = \"7%\"\nparent = \"@weather\"\n")),
              HasSubstr("the share of @weather is below itself"));
  EXPECT_THAT(PriorityError(tree + weather + share("bo", "target = \"50%\"\n")),
              HasSubstr("the targets before and this one are 110 %"));
}

TEST(FairshareConfig, RefusesWhatIsUnknownOrContradictsItself) {
  const std::string share = "[[share]]\nwho = \"@weather\"\n";
  EXPECT_THAT(PriorityError(share), HasSubstr("a share is a target, a floor or a ceiling"));
  EXPECT_THAT(PriorityError(share + "target = \"5%\"\nfloor = \"5%\"\n"),
              HasSubstr("a share is a target, a floor or a ceiling"));
  EXPECT_THAT(PriorityError(share + "target = \"101%\"\n"), HasSubstr("\"1%\" to \"100%\""));
  EXPECT_THAT(PriorityError(share + "target = \"5%\"\n" + share + "floor = \"5%\"\n"),
              HasSubstr("two shares are of @weather"));
  EXPECT_THAT(PriorityError("[[share]]\nwho = \"kim\"\ntarget = \"60%\"\n"
                            "[[share]]\nwho = \"bo\"\ntarget = \"60%\"\n"),
              HasSubstr("the targets before and this one are 120 %"));
  EXPECT_THAT(PriorityError("[[share]]\nwho = \"@chem\"\ntarget = \"5%\"\n"),
              HasSubstr("unknown group 'chem'"));
  EXPECT_THAT(PriorityError("[[share]]\nwho = \"queue debug\"\ntarget = \"5%\"\n"),
              HasSubstr("a queue has no share"));
  EXPECT_THAT(PriorityError("[fairshare]\ndecay = 1.5\n"), HasSubstr("less than 1"));
  EXPECT_THAT(PriorityError("[fairshare]\nwindow = \"7h\"\n"),
              HasSubstr("do not begin at midnight"));
  EXPECT_THAT(PriorityError("[fairshare]\nwindow = \"30d\"\ndepth = 30\n"),
              HasSubstr("reach back more than a year"));
  EXPECT_THAT(PriorityError("[fairshare]\nmetric = \"charged\"\n"),
              HasSubstr("nothing is charged"));
  EXPECT_THAT(PriorityError("[fairshare]\nmetric = \"wall\"\n"), HasSubstr("dedicated"));
}

}  // namespace
}  // namespace muster::config
