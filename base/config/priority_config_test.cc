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

}  // namespace
}  // namespace muster::config
