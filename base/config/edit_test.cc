// A change of one thing in a configuration file, by the path of its keys.
#include "base/config/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kFile[] = R"(
[federation]
max_share = "50%"
[[share]]
who = "account chem"
target = 0.25
[[share]]
who = "account bio"
target = 0.5
[[nodes]]
names = "n[1-2]"
resources = { ncpus = 4, mem = "8gb" }
)";

std::string Good(const std::string& path, const std::optional<std::string>& to) {
  const auto edited = Edited(kFile, path, to);
  EXPECT_TRUE(edited.ok()) << edited.status().ToString();
  return edited.ok() ? *edited : "";
}

std::string Bad(const std::string& path, const std::optional<std::string>& to) {
  return std::string(Edited(kFile, path, to).status().message());
}

TEST(EditedFile, HasTheNewValueWhereTheOldOneStood) {
  const std::string edited = Good("federation.max_share", "\"70%\"");
  EXPECT_THAT(edited, HasSubstr("max_share = '70%'"));
  EXPECT_THAT(edited, HasSubstr("target = 0.5"));
}

TEST(EditedFile, FindsOneOfSeveralTablesByItsNameOrItsNumber) {
  EXPECT_THAT(Good("share.account bio.target", "0.75"), HasSubstr("0.75"));
  EXPECT_THAT(Good("share.bio.target", "0.75"), HasSubstr("0.25"));
  EXPECT_THAT(Good("share.1.target", "0.75"), Not(HasSubstr("0.25")));
  EXPECT_THAT(Good("nodes.n[1-2].resources.ncpus", "8"), HasSubstr("ncpus = 8"));
}

TEST(EditedFile, GetsTablesThatAreMissing) {
  EXPECT_THAT(Good("lent.to", "[\"qos patient\"]"), HasSubstr("[lent]"));
}

TEST(EditedFile, LosesAKeyOrAWholeTable) {
  EXPECT_THAT(Good("federation.max_share", std::nullopt), Not(HasSubstr("max_share")));
  EXPECT_THAT(Good("share.account chem", std::nullopt), Not(HasSubstr("chem")));
}

TEST(EditedFile, IsRefusedWithTheReason) {
  EXPECT_THAT(Bad("share.account law.target", "1"), HasSubstr("no 'share.account law'"));
  EXPECT_THAT(Bad("federation.max_share.x", "1"), HasSubstr("is no table"));
  EXPECT_THAT(Bad("federation.other", std::nullopt), HasSubstr("to remove"));
  EXPECT_THAT(Bad("federation.max_share", "seventy"), HasSubstr("is no value"));
  EXPECT_THAT(Bad("federation.max_share", "1\n[x]\ny = 2"), HasSubstr("more than one"));
  EXPECT_THAT(Bad("federation..max_share", "1"), HasSubstr("no path"));
  EXPECT_THAT(std::string(Edited("[", "a", "1").status().message()), HasSubstr("the file"));
}

}  // namespace
}  // namespace muster::config
