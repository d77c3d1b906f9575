// Options as verbs declare them.
#include "cli/options.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using Strings = std::vector<std::string>;

Options Sample(Words words) {
  Options options("sample [options] word …", "A sample.", words);
  options.Flag("-f", "follow");
  options.Flag("--apart", "apart");
  options.Value("-t", "DURATION", "how long");
  options.Values("-l", "CHUNKS", "chunks");
  options.Later("-a,--array");
  options.Globals();
  return options;
}

std::string Refusal(Words words, const Strings& given) {
  const auto parsed = Sample(words).Parse(given);
  return parsed.ok() ? "accepted" : parsed.failure().diagnostic.message;
}

TEST(OptionsTest, OptionsStopAtTheFirstWordThatIsNone) {
  auto given =
      Sample(Words::kEnd).Parse({"-f", "-t30m", "-l", "1", "-l", "2", "job.sh", "-t", "--", ":"});
  ASSERT_TRUE(given.ok());
  EXPECT_TRUE(given->Has("-f"));
  EXPECT_EQ(given->Value("-t"), "30m");
  EXPECT_EQ(given->All("-l"), (Strings{"1", "2"}));
  EXPECT_EQ(given->words, (Strings{"job.sh", "-t", "--", ":"}));
}

TEST(OptionsTest, ColonAndDoubleDashAreWords) {
  auto given = Sample(Words::kEnd).Parse({"-l", "1", ":", "-l", "2", "--", "./a", "-x"});
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->words, (Strings{":", "-l", "2", "--", "./a", "-x"}));
  given = Sample(Words::kEnd).Parse({"--", "-x", "-t"});
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->words, (Strings{"--", "-x", "-t"}));
}

TEST(OptionsTest, WordsAndOptionsMayBeMixedWhereTheVerbSaysSo) {
  auto given = Sample(Words::kAnywhere).Parse({"42", "--json", "43", "-f"});
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->words, (Strings{"42", "43"}));
  EXPECT_TRUE(given->Has("--json"));
  EXPECT_TRUE(given->Has("-f"));
}

TEST(OptionsTest, ValuesMayLookLikeAnything) {
  auto given = Sample(Words::kEnd).Parse({"-l", "2:ncpus=4:mem=2gb+1:ngpus=1", "--color=never"});
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->Value("-l"), "2:ncpus=4:mem=2gb+1:ngpus=1");
  EXPECT_EQ(given->Value("--color"), "never");
}

TEST(OptionsTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(Refusal(Words::kEnd, {"--aprt", "x"}), "unknown option '--aprt'");
  EXPECT_EQ(Refusal(Words::kAnywhere, {"chem", "-20"}), "accepted")
      << "a number below zero is a word";
  EXPECT_EQ(Refusal(Words::kAnywhere, {"42", "--nope=3"}), "unknown option '--nope'");
  EXPECT_EQ(Refusal(Words::kEnd, {"-t"}), "-t needs a value");
  EXPECT_EQ(Refusal(Words::kEnd, {"-t", "1m", "-t", "2m"}), "'-t' is given twice");
  EXPECT_EQ(Refusal(Words::kEnd, {"-a", "1-100", "x"}),
            "'--array' is not in this version of muster");
  EXPECT_EQ(Sample(Words::kEnd).Parse({"--aprt"}).failure().diagnostic.help,
            Strings{"did you mean '--apart'?"});
}

TEST(OptionsTest, HelpNamesEveryOptionButThoseToCome) {
  const std::string help = Sample(Words::kEnd).Help();
  for (const char* part :
       {"Usage: muster sample", "-t DURATION", "how long", "--json", "-q, --quiet"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(help.find("--array"), std::string::npos);
}

}  // namespace
}  // namespace muster::cli
