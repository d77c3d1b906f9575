// Which jobs are which program, and what is wrong with a file that says so.
#include "base/config/app_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AppConfig, EveryModelHasItsOwnFigures) {
  const auto read = ParseAppsConfig("apps.toml", R"(
[media]
network = 1000
storage = 2000
[[app]]
name       = "halo"
model      = "network"
executables = [3, 12]
processors = "8-64"
share      = "40%"
bandwidth  = 100
[[app]]
name   = "sort"
model  = "staged"
users  = [17]
reads  = 500
[[app]]
name   = "sweep"
model  = "malleable"
processors = "4-"
serial = "5%"
times  = 4
[[app]]
name = "others"
model = "fixed"
)");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->media.network, 1000);
  EXPECT_EQ(read->media.memory, 0);
  ASSERT_EQ(read->apps.size(), 4u);
  const AppConfig& halo = read->apps[0];
  EXPECT_THAT(halo.executables, ElementsAre(3, 12));
  EXPECT_EQ(halo.least, 8);
  EXPECT_EQ(halo.most, 64);
  EXPECT_EQ(halo.share, 400);
  EXPECT_EQ(halo.bandwidth, 100);
  EXPECT_THAT(read->apps[1].users, ElementsAre(17));
  EXPECT_EQ(read->apps[1].reads, 500);
  EXPECT_EQ(read->apps[2].most, std::nullopt);
  EXPECT_EQ(read->apps[2].serial, 50);
  EXPECT_EQ(read->apps[2].times, 4);
}

TEST(AppConfig, SaysWhatIsWrong) {
  const auto error = [](const std::string& text) {
    const auto read = ParseAppsConfig("apps.toml", text);
    return read.ok() ? std::string() : Render(read.diagnostic());
  };
  const std::string app = "[[app]]\nname = \"a\"\n";
  EXPECT_THAT(error(""), HasSubstr("no [[app]]"));
  EXPECT_THAT(error(app + "model = \"torus\"\n"), HasSubstr("torus"));
  EXPECT_THAT(error(app + "model = \"network\"\nshare = \"40%\"\n"), HasSubstr("bandwidth"));
  EXPECT_THAT(error(app + "model = \"fixed\"\nshare = \"40%\"\n"), HasSubstr("share"));
  EXPECT_THAT(error(app + "model = \"staged\"\nreads = 5\n"), HasSubstr("storage"));
  EXPECT_THAT(error("[media]\nstorage = 5\n" + app + "model = \"staged\"\n"),
              HasSubstr("neither reads nor writes"));
  EXPECT_THAT(error(app + "model = \"fixed\"\nprocessors = \"8-4\"\n"), HasSubstr("8-4"));
  EXPECT_THAT(error(app + "model = \"fixed\"\nprocessors = \"many\"\n"), HasSubstr("many"));
  EXPECT_THAT(error(app + "model = \"fixed\"\n" + app + "model = \"fixed\"\n"),
              HasSubstr("another app is called 'a'"));
  EXPECT_THAT(error(app + "model = \"malleable\"\nserial = \"5%\"\ntimes = 1\n"),
              HasSubstr("times"));
}

}  // namespace
}  // namespace muster::config
