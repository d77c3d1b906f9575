// Diagnostics print exactly as the command's page shows them.
#include "base/diagnostic.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

const std::vector<std::string> kNames = {"ncpus", "mem", "ngpus"};

TEST(Diagnostic, PrintsAnUnknownNameAsTheTerminalPageShowsIt) {
  const Diagnostic unknown{
      .code = "config",
      .message = "unknown name 'ncpu'",
      .where = SourceSpan{.file = "site.toml",
                          .line = 17,
                          .column = 16,
                          .length = 4,
                          .source_line = R"(resources  = { ncpu = 16, mem = "64gb" })",
                          .caret_note = DidYouMean("ncpu", kNames)},
      .help = {"declared: ncpus, mem, ngpus"}};
  EXPECT_EQ(Render(unknown),
            "muster: error[config]: unknown name 'ncpu'\n"
            "  --> site.toml:17:16\n"
            "17 | resources  = { ncpu = 16, mem = \"64gb\" }\n"
            "   |                ^^^^ did you mean 'ncpus'?\n"
            "  help: declared: ncpus, mem, ngpus\n");
}

TEST(Diagnostic, PrintsAWrongKeyWithTwoLinesOfHelpAndAOneDigitLine) {
  const Diagnostic wrong{
      .code = "wrong-key",
      .message = "campus takes the connection but not the handshake",
      .where = SourceSpan{.file = "~/.config/muster/config.toml",
                          .line = 6,
                          .column = 12,
                          .length = 9,
                          .source_line = R"(key      = "kim.key")",
                          .caret_note = "public half rT5f…9w"},
      .help = {"either this key is not on its list (send the public half to an operator)",
               "or meta_key is not its key; the protocol does not tell which"}};
  EXPECT_EQ(Render(wrong),
            "muster: error[wrong-key]: campus takes the connection but not the handshake\n"
            "  --> ~/.config/muster/config.toml:6:12\n"
            " 6 | key      = \"kim.key\"\n"
            "   |            ^^^^^^^^^ public half rT5f…9w\n"
            "  help: either this key is not on its list (send the public half to an operator)\n"
            "        or meta_key is not its key; the protocol does not tell which\n");
}

TEST(Diagnostic, PrintsNotesBetweenTheMessageAndTheHelp) {
  const Diagnostic never{.code = "never",
                         .message = "no site can ever run 2 × (64 cpus)",
                         .notes = {"lakes, woods, hills: no node has more than 4 cpus"},
                         .help = {"the largest here is -l 2:ncpus=4; nothing was submitted"}};
  EXPECT_EQ(Render(never),
            "muster: error[never]: no site can ever run 2 × (64 cpus)\n"
            "  lakes, woods, hills: no node has more than 4 cpus\n"
            "  help: the largest here is -l 2:ncpus=4; nothing was submitted\n");
}

TEST(Diagnostic, PointsWithoutANumberIntoATextThatIsNoFile) {
  const Diagnostic option{.code = "chunk",
                          .message = "expected an amount",
                          .where = SourceSpan{.column = 7, .source_line = "ncpus="}};
  EXPECT_EQ(Render(option),
            "muster: error[chunk]: expected an amount\n"
            "   | ncpus=\n"
            "   |       ^\n");
}

TEST(Diagnostic, ShowsControlCharactersAsQuestionMarksAndKeepsCaretsAligned) {
  const Diagnostic escape{
      .code = "config",
      .message = "unknown name '\x1b[2J'",
      .where = SourceSpan{.file = "a", .line = 1, .column = 3, .source_line = "ä\tx\x1b"}};
  EXPECT_EQ(Render(escape),
            "muster: error[config]: unknown name '?[2J'\n"
            "  --> a:1:3\n"
            " 1 | ä x?\n"
            "   |   ^\n");
}

TEST(Diagnostic, CutsAVeryLongLineAroundTheCaret) {
  SourceSpan where{.file = "a", .line = 1, .column = 5001, .source_line = std::string(10000, 'x')};
  where.source_line[5000] = '!';
  const std::string text = Render({.code = "config", .message = "m", .where = where});
  EXPECT_LT(text.size(), 400u);
  EXPECT_NE(text.find("…" + std::string(60, 'x') + "!"), std::string::npos);
  EXPECT_NE(text.find("   | " + std::string(61, ' ') + "^\n"), std::string::npos);
}

TEST(Diagnostic, SurvivesColumnsAndLengthsOutsideTheLine) {
  for (uint32_t column : {0u, 1u, 3u, 4u, 99u}) {
    SourceSpan where{.file = "a", .line = 1, .column = column, .length = 7, .source_line = "abc"};
    EXPECT_NE(Render({.code = "c", .message = "m", .where = where}).find("abc"), std::string::npos);
  }
}

TEST(ClosestName, FindsSlipsOfTheFingerAndNothingElse) {
  EXPECT_EQ(ClosestName("ncpu", kNames), "ncpus");
  EXPECT_EQ(ClosestName("ncups", kNames), "ncpus");
  EXPECT_EQ(ClosestName("MEM", kNames), "mem");
  EXPECT_EQ(ClosestName("gpus", kNames), "ngpus");
  EXPECT_EQ(ClosestName("walltime", kNames), std::nullopt);
  EXPECT_EQ(ClosestName("x", kNames), std::nullopt);
  EXPECT_EQ(ClosestName("", kNames), std::nullopt);
  EXPECT_EQ(ClosestName(std::string(100000, 'n'), kNames), std::nullopt);
  EXPECT_EQ(DidYouMean("walltime", kNames), "");
  EXPECT_EQ(ClosestName("tpus", kNames, 1), std::nullopt);
  EXPECT_EQ(ClosestName("cpus", kNames, 1), "ncpus");
}

}  // namespace
}  // namespace muster
