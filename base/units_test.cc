// Input from people is read as they mean it, or refused with a sentence that says why.
#include "base/units.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster {
namespace {

int64_t Duration(std::string_view text) {
  const absl::StatusOr<Span> span = ParseDuration(text);
  EXPECT_TRUE(span.ok()) << text << ": " << span.status().ToString();
  return span.ok() ? span->seconds : -1;
}

template <class T>
std::string Refusal(const absl::StatusOr<T>& result) {
  EXPECT_FALSE(result.ok());
  return std::string(Text(result.status()));
}

std::string Joined(std::string_view text) {
  const absl::StatusOr<std::vector<std::string>> names = ExpandNames(text);
  if (!names.ok()) return "refused: " + std::string(Text(names.status()));
  std::string out;
  for (const std::string& name : *names) out += (out.empty() ? "" : " ") + name;
  return out;
}

TEST(Credits, AreReadToTheMillionthAndPrintedShortest) {
  for (const auto& [text, amount] :
       std::vector<std::pair<std::string, int64_t>>{{"12", 12'000'000},
                                                    {"0.5", 500'000},
                                                    {"-9.333333", -9'333'333},
                                                    {"0", 0},
                                                    {"1000000000", 1'000'000'000'000'000}}) {
    const auto read = ParseCredits(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(*read, amount) << text;
    EXPECT_EQ(CreditsText(amount), text);
  }
  EXPECT_EQ(ParseCredits("1.50").value(), 1'500'000);
  for (const char* wrong : {"", "-", ".5", "1.", "1.2345678", "1e3", "many", "1 2", "1000000001",
                            "99999999999999999999", "1000000000.1", "--1"}) {
    EXPECT_FALSE(ParseCredits(wrong).ok()) << wrong;
  }
}

TEST(Duration, ReadsEveryFormOfTheCommandPage) {
  EXPECT_EQ(Duration("90s"), 90);
  EXPECT_EQ(Duration("1h30m"), 5400);
  EXPECT_EQ(Duration("2d"), 2 * 86400);
  EXPECT_EQ(Duration("4d3h"), 4 * 86400 + 3 * 3600);
  EXPECT_EQ(Duration("08:00:00"), 8 * 3600);
  EXPECT_EQ(Duration("100:00:01"), 360001);
  EXPECT_EQ(Duration("1-12:30:15"), 86400 + 12 * 3600 + 30 * 60 + 15);
  EXPECT_EQ(Duration("0s"), 0);
}

TEST(Duration, RefusesWhatPbsSlurmAndOarReadDifferently) {
  EXPECT_EQ(Refusal(ParseDuration("30")), "thirty what?");
  EXPECT_EQ(Refusal(ParseDuration("45")), "forty-five what?");
  EXPECT_EQ(Refusal(ParseDuration("100")), "100 what?");
  EXPECT_EQ(DurationHelp("30"), "30m or 30s");
  EXPECT_EQ(Refusal(ParseDuration("10:00")), "'10:00': minutes and seconds, or hours and minutes?");
  EXPECT_EQ(DurationHelp("10:00"), "00:10:00 or 10:00:00");
}

TEST(Duration, RefusesTheMalformedAndTheBoundless) {
  for (std::string_view text : {"m", "1x", "30m1h", "1h1h", "1 h", "1.5h", "1h30", "1:2:3:4",
                                "::", "1-2", "1-10:00", "1m ", " 1m", "1ms", "\xff"}) {
    EXPECT_EQ(Refusal(ParseDuration(text)), "'" + std::string(text) + "' is not a duration");
  }
  EXPECT_EQ(Refusal(ParseDuration("")), "a duration is missing");
  EXPECT_EQ(Refusal(ParseDuration("-1h")), "a duration is not negative");
  EXPECT_EQ(Refusal(ParseDuration("01:60:00")), "minutes go to 59, not 60");
  EXPECT_EQ(Refusal(ParseDuration("01:00:99")), "seconds go to 59, not 99");
  EXPECT_EQ(Refusal(ParseDuration("1-24:00:00")), "after days, hours go to 23, not 24");
  EXPECT_EQ(Refusal(ParseDuration("36501d")), "a duration is at most 36500d");
  EXPECT_EQ(Refusal(ParseDuration("36500d1s")), "a duration is at most 36500d");
  EXPECT_EQ(Refusal(ParseDuration("999999999999:00:00")), "a duration is at most 36500d");
  EXPECT_EQ(Refusal(ParseDuration("99999999999999999999999s")),
            "'99999999999999999999999s' is not a duration");
  EXPECT_EQ(DurationHelp("1x"), "as in 90s, 1h30m, 2d, 08:00:00 or 1-12:00:00");
}

TEST(Duration, OnTheBootClockTakesMilliseconds) {
  EXPECT_EQ(ParseBootSpan("250ms")->milliseconds, 250);
  EXPECT_EQ(ParseBootSpan("1s500ms")->milliseconds, 1500);
  EXPECT_EQ(ParseBootSpan("2m")->milliseconds, 120000);
  EXPECT_EQ(Refusal(ParseBootSpan("5")), "five what?");
}

TEST(Duration, TextIsReadBackAsTheSameSpan) {
  EXPECT_EQ(DurationText(Span{5400}), "1h30m");
  EXPECT_EQ(DurationText(Span{0}), "0s");
  EXPECT_EQ(DurationText(Milliseconds(1500)), "1s500ms");
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Span span{random.Between(0, kLongestDuration.seconds)};
    EXPECT_EQ(ParseDuration(DurationText(span)).value(), span);
    const BootSpan boot{random.Between(0, 1000 * kLongestDuration.seconds)};
    EXPECT_EQ(ParseBootSpan(DurationText(boot)).value(), boot);
  }
}

TEST(Size, IsAWholeNumberOfPowersOfTwoToTheTenth) {
  EXPECT_EQ(ParseSize("16").value(), 16);
  EXPECT_EQ(ParseSize("512b").value(), 512);
  EXPECT_EQ(ParseSize("2gb").value(), int64_t{2} << 30);
  EXPECT_EQ(ParseSize("64GB").value(), int64_t{64} << 30);
  EXPECT_EQ(ParseSize("1tb").value(), int64_t{1} << 40);
  EXPECT_EQ(ParseSize("10g").value(), ParseSize("10gb").value());
  EXPECT_EQ(ParseSize("3K").value(), 3 << 10);
  EXPECT_EQ(SizeText(int64_t{64} << 30), "64gb");
  EXPECT_EQ(SizeText(1536), "1536b");
  EXPECT_EQ(SizeText(0), "0b");
}

TEST(Size, RefusesOtherUnitsFractionsAndTheHuge) {
  EXPECT_EQ(Refusal(ParseSize("2x")), "unknown unit 'x'; sizes end in b, kb, mb, gb or tb");
  EXPECT_EQ(Refusal(ParseSize("1.5gb")),
            "'1.5gb': sizes are whole numbers, the next smaller unit helps");
  EXPECT_EQ(Refusal(ParseSize("gb")), "'gb' is not a size");
  EXPECT_EQ(Refusal(ParseSize("-1gb")), "a size is not negative");
  EXPECT_EQ(Refusal(ParseSize("")), "a size is missing");
  EXPECT_EQ(Refusal(ParseSize("9999999tb")), "a size is at most 1048576tb");
}

TEST(Names, ExpandInTheOrderWritten) {
  EXPECT_EQ(Joined("n[1-4]"), "n1 n2 n3 n4");
  EXPECT_EQ(Joined("n[9-11],g[1-2]"), "n9 n10 n11 g1 g2");
  EXPECT_EQ(Joined("n[08-10,20],login"), "n08 n09 n10 n20 login");
  EXPECT_EQ(Joined("rack[1-2]-a"), "rack1-a rack2-a");
}

TEST(Names, RefusesTheAmbiguousAndTheBoundless) {
  EXPECT_EQ(Joined(""), "refused: a name is missing");
  EXPECT_EQ(Joined("a,,b"), "refused: a name is missing");
  EXPECT_EQ(Joined("n[1-4"), "refused: a bracket is missing in 'n[1-4'");
  EXPECT_EQ(Joined("n1-4]"), "refused: a bracket is missing in 'n1-4]'");
  EXPECT_EQ(Joined("n[4-1]"), "refused: the range 4-1 falls");
  EXPECT_EQ(Joined("n[]"), "refused: '' is not a number or a range as in 1-16");
  EXPECT_EQ(Joined("n[a-b]"), "refused: 'a-b' is not a number or a range as in 1-16");
  EXPECT_EQ(Joined("n[1-2][1-2]"), "refused: one pair of brackets per name, not 'n[1-2][1-2]'");
  EXPECT_EQ(Joined("n[1-3],n2"), "refused: 'n2' stands twice");
  EXPECT_EQ(Joined("lakes/n1"),
            "refused: names are made of letters, digits, '.', '_' and '-', not 'lakes/n1'");
  EXPECT_EQ(Joined("n[1-999999999]"), "refused: more than 100000 names");
}

}  // namespace
}  // namespace muster
