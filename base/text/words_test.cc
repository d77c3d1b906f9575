// Splitting lines as a shell would, and the options a script carries.
#include "base/text/words.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::text {
namespace {

std::vector<std::string> Texts(const Diagnosed<std::vector<Word>>& words) {
  std::vector<std::string> texts;
  if (!words.ok()) return {"error: " + words.diagnostic().message};
  for (const Word& word : words.value()) texts.push_back(word.text);
  return texts;
}
std::vector<std::string> Split(std::string_view line) {
  return Texts(SplitWords(line, "", 1, line, 1));
}

using Strings = std::vector<std::string>;

TEST(WordsTest, SplitsAtBlanksAndUnderstandsQuotes) {
  EXPECT_EQ(Split("  -n halo\t-t 20m "), (Strings{"-n", "halo", "-t", "20m"}));
  EXPECT_EQ(Split(R"(-n 'two words' "a \"b\" \\ c" d\ e x'y'"z")"),
            (Strings{"-n", "two words", R"(a "b" \ c)", "d e", "xyz"}));
  EXPECT_EQ(Split("''"), Strings{""});
  EXPECT_EQ(Split("-t 20m # short"), (Strings{"-t", "20m"}));
  EXPECT_EQ(Split("a#b"), Strings{"a#b"});
}

TEST(WordsTest, RefusesWhatAShellWouldExpandOrWaitFor) {
  EXPECT_EQ(Split("-n $NAME"), Strings{"error: '$' is not expanded here"});
  EXPECT_EQ(Split("-n \"`id`\""), Strings{"error: '`' is not expanded here"});
  EXPECT_EQ(Split("-n '$NAME'"), (Strings{"-n", "$NAME"}));
  EXPECT_EQ(Split("-n 'open"), Strings{"error: this ' is never closed"});
  EXPECT_EQ(Split("-t 20m \\"), Strings{"error: nothing follows '\\'"});
}

TEST(WordsTest, KnowsWhereEveryByteStood) {
  const std::string line = "é 'a b':c";
  const auto words = SplitWords(line, "f", 3, line, 1);
  ASSERT_EQ(words.value().size(), 2u);
  const Word& word = words.value()[1];
  EXPECT_EQ(word.text, "a b:c");
  EXPECT_EQ(word.At(0).column, 4u);
  EXPECT_EQ(word.At(3).column, 8u);
  EXPECT_EQ(word.At(4).line, 3u);
  EXPECT_EQ(word.At(99).column, 10u);
}

TEST(WordsTest, QuotedWordsAreReadBack) {
  constexpr std::string_view kAlphabet = "ab '\"\\$#=:\xc3\xa9";
  Random random(9);
  for (int round = 0; round < 5000; ++round) {
    Strings words(1 + random.Below(3));
    std::string line;
    for (std::string& word : words) {
      for (uint64_t n = random.Below(6); n > 0; --n)
        word += kAlphabet[random.Below(kAlphabet.size())];
      line += ShellQuoted(word) + " ";
    }
    EXPECT_EQ(Split(line), words) << line;
  }
}

constexpr char kScript[] =
    "#!/bin/bash\n"
    "#MUSTER -n halo -t 20m --apart\n"
    "# a comment\n"
    "\n"
    "#MUSTER   -l 2:ncpus=4\n"
    "#MUSTERING is not ours\n"
    "#MUSTER : -l 1:ncpus=2:ngpus=1\r\n"
    "#MUSTER\n"
    "exec ./halo\n"
    "#MUSTER -t 99d\n";

TEST(ScriptOptionsTest, JoinsTheLinesAboveTheFirstCommand) {
  EXPECT_EQ(Texts(ScriptOptions(kScript, "job.sh")),
            (Strings{"-n", "halo", "-t", "20m", "--apart", "-l", "2:ncpus=4", ":", "-l",
                     "1:ncpus=2:ngpus=1"}));
}

TEST(ScriptOptionsTest, ScriptsWithoutLinesHaveNoOptions) {
  EXPECT_EQ(Texts(ScriptOptions("", "s")), Strings{});
  EXPECT_EQ(Texts(ScriptOptions("echo\n#MUSTER -t 1m\n", "s")), Strings{});
}

TEST(ScriptOptionsTest, ErrorsOfAParserAreShownInTheScript) {
  const std::string script = "#!/bin/sh\n\n#MUSTER -l 2:ncpus=4:+1:ngpus=1\n";
  const auto words = ScriptOptions(script, "job.sh");
  ASSERT_TRUE(words.ok());
  Diagnostic wrong{.code = "chunk",
                   .message = "expected resource=amount before '+'",
                   .where = SourceSpan{},
                   .notes = {},
                   .help = {}};
  wrong.where->column = 11;
  EXPECT_EQ(Render(PlacedIn(words.value()[1], wrong)),
            "muster: error[chunk]: expected resource=amount before '+'\n"
            "  --> job.sh:3:22\n"
            " 3 | #MUSTER -l 2:ncpus=4:+1:ngpus=1\n"
            "   |                      ^\n");
}

TEST(ScriptOptionsTest, RefusalsStandInTheirLine) {
  const auto words = ScriptOptions("#!/bin/sh\n#MUSTER -n \"x\n", "job.sh");
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.diagnostic().where->line, 2u);
  EXPECT_EQ(words.diagnostic().where->column, 12u);
  EXPECT_EQ(words.diagnostic().where->file, "job.sh");
}

}  // namespace
}  // namespace muster::text
