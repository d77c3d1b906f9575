// Files of changes that are tried: what is read, and what is wrong with them.
#include "base/config/change_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::HasSubstr;

std::string WrongIn(const std::string& text) {
  const auto read = ParseChangesConfig("change.toml", text);
  EXPECT_FALSE(read.ok());
  return read.ok() ? "" : Render(read.diagnostic());
}

TEST(FileOfChanges, SaysWhatIsDoneWhereAndWhen) {
  const auto read = ParseChangesConfig("change.toml", R"(
[[change]]
do = "set"
at = "lakes"
path = "share.chem.target"
to = 0.35
[[change]]
do = "add"
at = "lakes"
text = """
[[nodes]]
names = "n9"
"""
[[change]]
do = "remove"
at = "meta"
path = "limit.1"
[[change]]
do = "drain"
words = "lakes/n1 --hard"
when = "now+1h"
[[change]]
do = "set"
at = "lakes"
path = "lent.to"
to = ["qos filler", "kim"]
)");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  ASSERT_EQ(read->changes.size(), 5u);
  EXPECT_EQ(read->changes[0].todo, "set");
  EXPECT_EQ(read->changes[0].to, "0.35");
  EXPECT_EQ(read->changes[0].line, 2u);
  EXPECT_THAT(read->changes[1].add, HasSubstr("n9"));
  EXPECT_EQ(read->changes[2].path, "limit.1");
  EXPECT_EQ(read->changes[3].words, "lakes/n1 --hard");
  EXPECT_EQ(read->changes[3].when, "now+1h");
  EXPECT_THAT(*read->changes[4].to, HasSubstr("qos filler"));
}

TEST(FileOfChanges, IsRefusedWithTheLine) {
  EXPECT_THAT(WrongIn("x = 1\n"), HasSubstr("unknown name 'x'"));
  EXPECT_THAT(WrongIn(""), HasSubstr("[[change]] is missing"));
  EXPECT_THAT(WrongIn("[[change]]\ndo = \"explode\"\n"), HasSubstr("change.toml:2"));
  EXPECT_THAT(WrongIn("[[change]]\ndo = \"set\"\nat = \"lakes\"\npath = \"a\"\n"), HasSubstr("to"));
  EXPECT_THAT(WrongIn("[[change]]\ndo = \"drain\"\nnodes = \"lakes/n1\"\n"), HasSubstr("words"));
  EXPECT_THAT(WrongIn("[[change]]\ndo = \"drain\"\nwords = \"a\"\nat = \"lakes\"\n"),
              HasSubstr("change.toml:4"));
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "[[change]]\ndo = \"resume\"\nwords = \"lakes/n1\"\n";
  EXPECT_THAT(WrongIn(many), HasSubstr("more than 1000"));
}

}  // namespace
}  // namespace muster::config
