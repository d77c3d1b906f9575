// The rules by which golden cases are made from bases, and what is said of cases that break them.
#include "cli/views/golden_case.h"

#include <gtest/gtest.h>

#include <fstream>

namespace muster::cli::views {
namespace {

class GoldenCaseTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Write("bases", R"({
      "site": {"name": "lakes", "nodes": 4, "total": {"ncpus": 16}},
      "row": [{"base": "site"}, {"base": "site", "name": "woods"}],
      "circle": {"base": "there"}, "there": {"inner": {"base": "circle"}}
    })");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / (name + ".json")) << text;
  }
  // The case written out, or what is wrong with it.
  std::string Read(const std::string& name) const {
    const auto made = GoldenCases(folder_).Read(name);
    return made.ok() ? made->dump() : std::string(Text(made.status()));
  }
  std::string Made(const std::string& text) {
    Write("case", text);
    return Read("case");
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(GoldenCaseTest, MembersOfABaseAreChangedAddedAndSetToNull) {
  EXPECT_EQ(Made(R"({"base": "site", "nodes": null, "total": {"ngpus": 2}, "up": true})"),
            R"({"name":"lakes","nodes":null,"total":{"ncpus":16,"ngpus":2},"up":true})");
}

TEST_F(GoldenCaseTest, ElementsOfABaseAreChangedByTheirIndex) {
  EXPECT_EQ(Made(R"({"sites": {"base": "row", "1": {"nodes": 2}}})"),
            R"({"sites":[{"name":"lakes","nodes":4,"total":{"ncpus":16}},)"
            R"({"name":"woods","nodes":2,"total":{"ncpus":16}}]})");
}

TEST_F(GoldenCaseTest, ArraysAndNamedBasesReplaceWhatTheOuterBaseHas) {
  Write("outer", R"({"sites": {"base": "row"}, "more": {"extra": 1}})");
  EXPECT_EQ(Made(R"({"base": "outer", "sites": [1], "more": {"base": "site", "nodes": 3}})"),
            R"({"sites":[1],"more":{"name":"lakes","nodes":3,"total":{"ncpus":16}}})");
}

TEST_F(GoldenCaseTest, ElementsAreRepeated) {
  EXPECT_EQ(Made(R"({"a": [0, {"repeat": 3, "of": {"b": [{"repeat": 2, "of": 1}]}}, 9]})"),
            R"({"a":[0,{"b":[1,1]},{"b":[1,1]},{"b":[1,1]},9]})");
}

TEST_F(GoldenCaseTest, BasesAreNoCase) {
  Made("{}");
  Write("another", "{}");
  EXPECT_EQ(GoldenCases(folder_).Names(), (std::vector<std::string>{"another", "case"}));
}

TEST_F(GoldenCaseTest, ErrorsNameTheFileAndThePlace) {
  EXPECT_EQ(Read("nowhere"), "nowhere.json: cannot be read");
  EXPECT_EQ(Made("[1]"), "case.json: a case is an object");
  EXPECT_NE(Made("{\n\"a\": }")
                .find("case.json: [json.exception.parse_error.101] parse error at "
                      "line 2, column 6"),
            std::string::npos);
  EXPECT_EQ(Made(R"({"base": "sight"})"),
            "case.json: no base 'sight': it is neither in bases.json nor a case");
  EXPECT_EQ(Made(R"({"a": {"b": [0, {"base": 7}]}})"),
            "case.json, a.b[1]: \"base\" is the name of a base");
  EXPECT_EQ(Made(R"({"a": {"base": "row", "2": {}}})"),
            "case.json, a: '2' is no element of the base, which has 2 here, from 0");
  EXPECT_EQ(Made(R"({"a": {"base": "row", "1x": {}}})"),
            "case.json, a: '1x' is no element of the base, which has 2 here, from 0");
}

TEST_F(GoldenCaseTest, RepetitionsHaveACountAndAnElementAndNothingElse) {
  const std::string wrong =
      "case.json, a[0]: a repetition is {\"repeat\": 1 to 1000, \"of\": an element}";
  EXPECT_EQ(Made(R"({"a": [{"repeat": 0, "of": 1}]})"), wrong);
  EXPECT_EQ(Made(R"({"a": [{"repeat": 1001, "of": 1}]})"), wrong);
  EXPECT_EQ(Made(R"({"a": [{"repeat": "2", "of": 1}]})"), wrong);
  EXPECT_EQ(Made(R"({"a": [{"repeat": 2}]})"), wrong);
  EXPECT_EQ(Made(R"({"a": [{"repeat": 2, "of": 1, "if": 1}]})"), wrong);
}

TEST_F(GoldenCaseTest, ABaseIsNotMadeFromItself) {
  EXPECT_EQ(Made(R"({"a": {"base": "circle"}})"),
            "bases.json, there.inner: base 'circle' is made from itself");
  EXPECT_EQ(Made(R"({"base": "case"})"), "case.json: base 'case' is made from itself");
}

}  // namespace
}  // namespace muster::cli::views
