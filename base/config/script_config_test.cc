// A script is read as it stands; what cannot be played is told with its place.
#include "base/config/script_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kScript = R"([script]
meta = "meta.toml"
sites = ["hills.toml", "lakes.toml"]
user = "kim"
length = "4m"
[[job]]
name = "a1"
at = "2s"
submit = "--site lakes -t 1m -l 1 -- sleep 12"
[[job]]
name = "a2"
at = "4200ms"
submit = "-t 1m -- sleep 9"
cancel_at = "50s"
[[drain]]
at = "60s"
until = "90s"
nodes = ["lakes/n1", "lakes/n2"]
hard = true
)";

std::string With(std::string_view before, std::string_view after) {
  std::string text = kScript;
  text.replace(text.find(before), before.size(), after);
  return text;
}

TEST(Script, IsReadAsItStands) {
  const auto read = ParseScriptConfig("/play/script.toml", kScript);
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->meta, "/play/meta.toml");
  EXPECT_THAT(read->sites, ElementsAre("/play/hills.toml", "/play/lakes.toml"));
  EXPECT_EQ(read->user, "kim");
  EXPECT_EQ(read->length, Span{240});
  ASSERT_THAT(read->jobs, SizeIs(2));
  EXPECT_EQ(read->jobs[0].name, "a1");
  EXPECT_EQ(read->jobs[0].at, Seconds(2));
  EXPECT_EQ(read->jobs[0].submit, "--site lakes -t 1m -l 1 -- sleep 12");
  EXPECT_EQ(read->jobs[0].cancel_at, std::nullopt);
  EXPECT_EQ(read->jobs[1].at, Milliseconds(4200));
  EXPECT_EQ(read->jobs[1].cancel_at, Seconds(50));
  ASSERT_THAT(read->drains, SizeIs(1));
  EXPECT_EQ(read->drains[0].until, Seconds(90));
  EXPECT_THAT(read->drains[0].nodes, ElementsAre("lakes/n1", "lakes/n2"));
  EXPECT_TRUE(read->drains[0].hard);
}

TEST(Script, WhatCannotBePlayedIsToldWithItsPlace) {
  const struct {
    const char* before;
    const char* after;
    const char* said;
    uint32_t line;
  } kWrong[] = {
      {"name = \"a2\"", "name = \"a1\"", "two jobs are named 'a1'", 11},
      {"at = \"4200ms\"", "at = \"1s\"", "job 'a2' comes before 'a1'", 12},
      {"cancel_at = \"50s\"", "cancel_at = \"4s\"", "cancelled before it is submitted", 14},
      {"until = \"90s\"", "until = \"30s\"", "resumed before they are drained", 17},
      {"sites = [\"hills.toml\", \"lakes.toml\"]", "sites = []", "no sites", 3},
      {"hard = true", "hurd = true", "hurd", 19},
  };
  for (const auto& wrong : kWrong) {
    const auto read = ParseScriptConfig("script.toml", With(wrong.before, wrong.after));
    ASSERT_FALSE(read.ok()) << wrong.said;
    EXPECT_THAT(read.diagnostic().message, HasSubstr(wrong.said));
    ASSERT_TRUE(read.diagnostic().where);
    EXPECT_EQ(read.diagnostic().where->line, wrong.line) << wrong.said;
  }
}

}  // namespace
}  // namespace muster::config
