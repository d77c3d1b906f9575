// config.toml: the file of the command's page is read; what is wrong in one is told with its place.
#include "base/config/user_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster::config::user_config_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kKey = "rT5fxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx9w";

std::string Whole(const std::string& campus_more = "") {
  return "default = \"campus\"\n"
         "[federation.campus]\n"
         "meta     = \"tcp://meta.campus.example:7710\"\n"
         "meta_key = \"" +
         std::string(kKey) +
         "\"   # public key of the meta\n"
         "\n"
         "key      = \"kim.key\"\n" +
         campus_more +
         "[federation.campus.site.lakes]     # for --via\n"
         "address = \"tcp://lakes.campus.example:7711\"\n"
         "key     = \"" +
         std::string(kKey) +
         "\"\n"
         "[output]\n"
         "color = \"never\"\n"
         "utc   = true\n";
}

std::string Error(const std::string& text) {
  const Diagnosed<UserConfig> config = ParseUserConfig("config.toml", text);
  return config.ok() ? "read without an error" : Render(config.diagnostic());
}

TEST(UserConfig, ReadsTheFileOfTheCommandPage) {
  const Diagnosed<UserConfig> read =
      ParseUserConfig("/home/kim/.config/muster/config.toml", Whole());
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->default_federation, "campus");
  ASSERT_EQ(read->federations.size(), 1u);
  const FederationAddress& campus = read->federations[0];
  EXPECT_EQ(campus.name, "campus");
  EXPECT_EQ(campus.meta, "tcp://meta.campus.example:7710");
  EXPECT_EQ(campus.meta_key, kKey);
  EXPECT_EQ(campus.key_path, "/home/kim/.config/muster/kim.key");
  ASSERT_EQ(campus.sites.size(), 1u);
  EXPECT_EQ(campus.sites[0].name, "lakes");
  EXPECT_EQ(campus.sites[0].address, "tcp://lakes.campus.example:7711");
  EXPECT_EQ(read->color, ColorChoice::kNever);
  EXPECT_TRUE(read->utc);
}

TEST(UserConfig, RemembersWhereTheKeyStandsForErrorsOfTheHandshake) {
  const Diagnosed<UserConfig> read = ParseUserConfig("config.toml", Whole());
  ASSERT_TRUE(read.ok());
  const SourceSpan& where = read->federations[0].key_where;
  EXPECT_EQ(where.line, 6u);
  EXPECT_EQ(where.column, 12u);
  EXPECT_EQ(where.length, 9u);
  EXPECT_EQ(where.source_line, "key      = \"kim.key\"");
}

TEST(UserConfig, MayBeEmpty) {
  const Diagnosed<UserConfig> read = ParseUserConfig("config.toml", "");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->federations.empty());
  EXPECT_EQ(read->color, ColorChoice::kAuto);
  EXPECT_FALSE(read->utc);
}

TEST(UserConfig, RefusesAnUnknownNameAndSaysWhatIsAccepted) {
  EXPECT_EQ(Error(Whole("metakey = 1\n")),
            "muster: error[config]: unknown name 'metakey'\n"
            "  --> config.toml:7:1\n"
            " 7 | metakey = 1\n"
            "   | ^^^^^^^ did you mean 'meta_key'?\n"
            "  help: accepted here: meta, meta_key, key, site\n");
}

TEST(UserConfig, RefusesAnUnknownColor) {
  EXPECT_EQ(Error("[output]\ncolor = \"allways\"\n"),
            "muster: error[config]: unknown color 'allways'\n"
            "  --> config.toml:2:9\n"
            " 2 | color = \"allways\"\n"
            "   |         ^^^^^^^^^ did you mean 'always'?\n"
            "  help: accepted: auto, always, never\n");
}

TEST(UserConfig, RefusesADefaultThatIsNotThere) {
  EXPECT_THAT(Error("default = \"campsu\"\n" + Whole().substr(19)),
              HasSubstr("error[config]: unknown federation 'campsu'\n"
                        "  --> config.toml:1:11\n"
                        " 1 | default = \"campsu\"\n"
                        "   |           ^^^^^^^^ did you mean 'campus'?\n"
                        "  help: federations here: campus\n"));
  EXPECT_THAT(Error("default = \"x\"\n"), HasSubstr("help: [federation.x] is missing\n"));
}

TEST(UserConfig, RefusesAWrongType) {
  EXPECT_EQ(Error("[output]\nutc = \"yes\"\n"),
            "muster: error[config]: 'utc' is true or false, not a text\n"
            "  --> config.toml:2:7\n"
            " 2 | utc = \"yes\"\n"
            "   |       ^^^^^\n");
  EXPECT_EQ(Error("output = 3\n"),
            "muster: error[config]: [output] is a section, not a single value\n"
            "  --> config.toml:1:10\n"
            " 1 | output = 3\n"
            "   |          ^\n");
}

TEST(UserConfig, RefusesMalformedTomlAtItsPlace) {
  EXPECT_EQ(Error("default = \n"),
            "muster: error[config]: malformed TOML: expected value, saw '\\n'\n"
            "  --> config.toml:1:11\n"
            " 1 | default = \n"
            "   |           ^ while reading a key-value pair\n");
  EXPECT_THAT(Error("\xff\xfe"), HasSubstr("malformed TOML"));
  EXPECT_THAT(Error("a = " + std::string(100000, '[')), HasSubstr("malformed TOML"));
}

TEST(UserConfig, SaysWhyAFileCannotBeRead) {
  const auto error = [](const std::string& path) {
    const Diagnosed<UserConfig> config = ReadUserConfig(path);
    return config.ok() ? "" : Render(config.diagnostic());
  };
  EXPECT_EQ(
      error("/nonexistent/config.toml"),
      "muster: error[config]: cannot read /nonexistent/config.toml: No such file or directory\n");
  EXPECT_EQ(error("/tmp"), "muster: error[config]: cannot read /tmp: it is a folder\n");
}

TEST(UserConfig, IsReadFromAFile) {
  std::string folder = ::testing::TempDir() + "config-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/config.toml") << Whole();
  const Diagnosed<UserConfig> read = ReadUserConfig(folder + "/config.toml");
  ASSERT_TRUE(read.ok()) << Render(read.diagnostic());
  EXPECT_EQ(read->federations[0].key_path, folder + "/kim.key");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::config::user_config_test
