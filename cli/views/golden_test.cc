// Every document in tests/golden is shown and compared with the text beside it; the documents of
// cli.md's examples give the page's text to the character. MUSTER_GOLDEN_WRITE=1 rewrites the
// texts, for the reader of the diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/views/golden_case.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

std::filesystem::path Folder() {
  const char* source = std::getenv("MUSTER_SOURCE_DIR");
  return std::filesystem::path(source != nullptr ? source : ".") / "tests" / "golden";
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Json Case(const std::string& name) {
  auto made = GoldenCases(Folder()).Read(name);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.ok() ? *std::move(made) : Json();
}

std::string Show(const Json& golden) {
  ViewOptions options;
  options.width = golden.at("width").get<size_t>();
  options.unicode = golden.at("unicode").get<bool>();
  options.zone = text::Zone::Fixed(Span{golden.at("utc_offset_s").get<int64_t>()});
  options.now = TimeAt(golden, "now").value();
  const Json& document = golden.at("document");
  const auto view = golden.at("view").get<std::string>();
  if (view == "wait") return WaitLine(document, golden.at("id_width").get<size_t>(), options);
  if (view == "wait_progress") {
    return WaitProgress(document, golden.at("turn").get<size_t>(), options);
  }
  const std::map<std::string, std::string (*)(const Json&, const ViewOptions&)> views = {
      {"submitted", SubmittedView},
      {"show", JobView},
      {"queue", QueueView},
      {"ask", AskView},
      {"sites", SitesView},
      {"homes", HomesView},
      {"gantt", GanttView},
      {"act", ActView},
      {"up", UpView},
      {"nodes", NodesView},
      {"slots", SlotsView},
      {"explain", ExplainView},
      {"priority", PriorityView},
      {"shares", SharesView},
      {"order", OrderView},
      {"accounts", AccountsView},
      {"liens", LiensView},
      {"statement", StatementView},
      {"verdicts", VerdictsView},
      {"keys", KeysView},
      {"altered", AlteredView},
      {"reserved", ReservedView},
      {"limits", LimitsView},
      {"calibration", CalibrationView},
      {"scheduler", SchedulerView},
      {"whatif", MovesView}};
  return views.at(view)(document, options);
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, DocumentIsShownAsItsText) {
  const std::string shown = Show(Case(GetParam()));
  const auto path = Folder() / (GetParam() + ".txt");
  if (std::getenv("MUSTER_GOLDEN_WRITE") != nullptr) {
    std::ofstream(path, std::ios::binary) << shown;
  }
  EXPECT_EQ(shown, ReadAll(path)) << "MUSTER_GOLDEN_WRITE=1 cli_test rewrites " << path;
}

TEST_P(GoldenTest, NoLineIsWiderThanItsTerminalOrEndsInBlanks) {
  const Json golden = Case(GetParam());
  const auto width = golden.at("width").get<size_t>();
  std::istringstream lines(Show(golden));
  for (std::string line; std::getline(lines, line);) {
    if (width > 0) EXPECT_LE(Columns(line), width) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST_P(GoldenTest, WithoutUnicodeOnlyAsciiIsPrinted) {
  Json golden = Case(GetParam());
  golden["unicode"] = false;
  for (const char c : Show(golden)) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

INSTANTIATE_TEST_SUITE_P(Documents, GoldenTest, testing::ValuesIn(GoldenCases(Folder()).Names()),
                         [](const auto& info) { return info.param; });

TEST(LogsViewTest, LinesCarryTheirPartAndIncompleteOnesWait) {
  std::string rest;
  EXPECT_EQ(PrefixedLines("42.1", "one\ntwo\nthr", false, rest), "42.1 | one\n42.1 | two\n");
  EXPECT_EQ(PrefixedLines("42.1", "ee\n", false, rest), "42.1 | three\n");
  EXPECT_EQ(PrefixedLines("42.1", "end", true, rest), "42.1 | end\n");
  EXPECT_EQ(PrefixedLines("", "alone\n", false, rest), "alone\n");
}

TEST(LogsViewTest, LinesOfThePageAreMadeOfTwoParts) {
  std::string first;
  std::string third;
  EXPECT_EQ(PrefixedLines("42.1", "rank 0 of 3: peers woods, hills connected\n", false, first) +
                PrefixedLines("42.3", "step 100  residual 3.1e-04\n", false, third),
            "42.1 | rank 0 of 3: peers woods, hills connected\n"
            "42.3 | step 100  residual 3.1e-04\n");
}

TEST(FormatTest, NodesShareStemsAndRanges) {
  EXPECT_EQ(NodesShown({"n1", "n2", "n5", "g1", "login"}), "n1-2,5,g1,login");
  EXPECT_EQ(NodesShown({"n1"}), "n1");
  EXPECT_EQ(NodesShown({}), "");
}

TEST(FormatTest, OnlyAllIsOneHundredPercent) {
  EXPECT_EQ(Percent(1), "100 %");
  EXPECT_EQ(Percent(0.99999), "99.9 %");
  EXPECT_EQ(Percent(0.998), "99.8 %");
}

TEST(FormatTest, SpansAreToldToTheMinute) {
  EXPECT_EQ(InAbout(Span{596}), "in 10m");
  EXPECT_EQ(InAbout(Span{45}), "in 45s");
  EXPECT_EQ(About(Span{10920}), "3h02m");
  EXPECT_EQ(InAbout(Span{-300}), "5m ago");
  EXPECT_EQ(About(Span{2 * 86400 + 5 * 3600}), "2d5h");
  EXPECT_EQ(Age(0.2), "0.2 s");
  EXPECT_EQ(Age(192), "3m12s");
}

TEST(FormatTest, NamesCannotSteerTheTerminal) {
  const Json job = {{"name", "a\x1b[2Jb"}};
  EXPECT_EQ(TextAt(job, "name"), "a?[2Jb");
}

}  // namespace
}  // namespace muster::cli::views
