// Names and sets of jobs.
#include "base/text/jobs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace muster::text {
namespace {

std::string Read(std::string_view text) {
  const auto set = ParseJobs(text);
  if (set.ok()) return JobsText(set.value());
  return "error " + std::to_string(set.diagnostic().where->column) + ": " +
         set.diagnostic().message;
}

TEST(JobsTest, ReadsJobsElementsAndParts) {
  EXPECT_EQ(Read("42"), "42");
  EXPECT_EQ(Read("42.2"), "42.2");
  EXPECT_EQ(Read("42[7]"), "42[7]");
  EXPECT_EQ(Read("42_7"), "42[7]");
  EXPECT_EQ(Read("42[7].2"), "42[7].2");
  EXPECT_EQ(Read("last"), "last");
  EXPECT_EQ(Read("all"), "all");
}

TEST(JobsTest, RangesAndListsNameEachOnceInOrder) {
  EXPECT_EQ(Read("42-45,50,44"), "42,43,44,45,50");
  EXPECT_EQ(Read("42[1-3]"), "42[1],42[2],42[3]");
  EXPECT_EQ(Read("7,last"), "last,7");
}

TEST(JobsTest, JobsOfASiteAloneCarryItsName) {
  EXPECT_EQ(Read("lakes/17"), "lakes/17");
  EXPECT_EQ(Read("lakes/17-19,42"), "lakes/17,lakes/18,lakes/19,42");
  EXPECT_EQ(Read("lakes/17.2"), "lakes/17.2");
  EXPECT_EQ(Read("lakes/"), "error 1: 'lakes/' is no job");
  EXPECT_EQ(Read("/17"), "error 1: '/17' is no job");
  EXPECT_EQ(Read("lakes/n3"), "error 1: 'lakes/n3' is no job");
}

TEST(JobsTest, ShownIdsNameTheirJob) {
  const auto shown = [](std::string_view text) {
    const auto name = ParseShownJob(text);
    return name ? JobNameText(*name) : "none";
  };
  EXPECT_EQ(shown("43"), "43");
  EXPECT_EQ(shown("43[7]"), "43[7]");
  EXPECT_EQ(shown("43[1-100]"), "43");
  EXPECT_EQ(shown("43[1-99:2]"), "43");
  EXPECT_EQ(shown("43[7].2"), "43[7].2");
  EXPECT_EQ(shown("lakes/17"), "lakes/17");
  EXPECT_EQ(shown("42,43"), "none");
  EXPECT_EQ(shown("42-43"), "none");
  EXPECT_EQ(shown("halo"), "none");
  EXPECT_EQ(shown(""), "none");
}

std::string ReadArray(std::string_view text) {
  const auto array = ParseArray(text);
  if (!array.ok()) {
    return "error " + std::to_string(array.diagnostic().where->column) + ": " +
           array.diagnostic().message;
  }
  return ElementsText(*array) + " " + std::to_string(ElementsOf(*array)) + " at once " +
         std::to_string(array->at_once);
}

TEST(ArrayTest, ReadsRangesStepsAndHowManyAtOnce) {
  EXPECT_EQ(ReadArray("1-100"), "[1-100] 100 at once 0");
  EXPECT_EQ(ReadArray("1-100%20"), "[1-100] 100 at once 20");
  EXPECT_EQ(ReadArray("0-9:3%2"), "[0-9:3] 4 at once 2");
  EXPECT_EQ(ReadArray("7"), "[7] 1 at once 0");
}

TEST(ArrayTest, TheLastElementIsOneThatIsTaken) {
  EXPECT_EQ(ReadArray("1-100:2"), "[1-99:2] 50 at once 0");
}

TEST(ArrayTest, RefusesWhatIsNoArray) {
  EXPECT_EQ(ReadArray(""), "error 1: expected a number");
  EXPECT_EQ(ReadArray("5-1"), "error 1: this range falls");
  EXPECT_EQ(ReadArray("1-9:0"), "error 5: a step is at least 1");
  EXPECT_EQ(ReadArray("1-9%0"), "error 5: none at once would never end");
  EXPECT_EQ(ReadArray("1-9x"), "error 4: expected elements, not 'x'");
  EXPECT_EQ(ReadArray("1-10000"), "[1-10000] 10000 at once 0");
  EXPECT_EQ(ReadArray("0-10000"), "error 1: an array has at most 10000 elements");
  EXPECT_EQ(ReadArray("1-1000000000:1000000"), "error 1: elements count to 99999999");
}

std::string ReadAfter(std::string_view text) {
  const auto after = ParseAfter(text);
  if (!after.ok()) {
    return "error " + std::to_string(after.diagnostic().where->column) + ": " +
           after.diagnostic().message;
  }
  std::string out;
  for (const AfterText& one : *after) {
    const char* const kinds[] = {"ok:", "any:", "fail:"};
    out += (out.empty() ? "" : " ") + std::string(kinds[static_cast<int>(one.kind)]) +
           JobNameText(one.job);
  }
  return out;
}

TEST(AfterTest, EveryItemHasItsOwnKindAndOkIsTheDefault) {
  EXPECT_EQ(ReadAfter("41"), "ok:41");
  EXPECT_EQ(ReadAfter("ok:41,any:43[7]"), "ok:41 any:43[7]");
  EXPECT_EQ(ReadAfter("any:41,42"), "any:41 ok:42");
  EXPECT_EQ(ReadAfter("fail:41-43"), "fail:41 fail:42 fail:43");
}

TEST(AfterTest, RefusesWhatCannotBeWaitedFor) {
  EXPECT_EQ(ReadAfter("well:41"), "error 1: 'well' is none of ok, any and fail");
  EXPECT_EQ(ReadAfter("41.2"), "error 1: parts of a job end together");
  EXPECT_EQ(ReadAfter("ok:"), "error 4: expected a job");
  EXPECT_EQ(ReadAfter("last"), "error 1: 'last' is no job");
}

TEST(JobsTest, RefusesWhatNamesNothing) {
  EXPECT_EQ(Read(""), "error 1: no job is named");
  EXPECT_EQ(Read("42,"), "error 4: expected a job");
  EXPECT_EQ(Read("halo"), "error 1: 'halo' is no job");
  EXPECT_EQ(Read("48-42"), "error 1: this range falls");
  EXPECT_EQ(Read("42-"), "error 4: expected a number");
  EXPECT_EQ(Read("42[7"), "error 3: this [ is never closed");
  EXPECT_EQ(Read("42.0"), "error 4: parts count from 1");
  EXPECT_EQ(Read("0"), "error 1: jobs count from 1");
  EXPECT_EQ(Read("42 43"), "error 3: expected ',' between jobs, not ' '");
  EXPECT_EQ(Read("99999999999999999999999"), "error 1: this number is too large");
}

TEST(JobsTest, BoundsHowManyOneSetNames) {
  EXPECT_TRUE(ParseJobs("1-10000").ok());
  EXPECT_EQ(Read("1-10001"), "error 1: more than 10000 jobs are named");
  EXPECT_EQ(Read("5,1-10000"), "error 3: more than 10000 jobs are named");
  EXPECT_EQ(Read("1-18446744073709551"), "error 1: more than 10000 jobs are named");
}

TEST(JobsTest, ParsingThePrintedSetGivesTheSameSet) {
  Random random(13);
  for (int round = 0; round < 2000; ++round) {
    JobSet set{.last = random.Chance(200), .all = random.Chance(200), .names = {}};
    for (uint64_t n = 1 + random.Below(5); n > 0; --n) {
      JobName name{.site = random.Chance(200) ? "lakes" : "",
                   .job = 1 + random.Below(1000),
                   .element = std::nullopt,
                   .part = std::nullopt};
      if (name.site.empty() && random.Chance(300)) name.element = random.Below(100);
      if (random.Chance(300)) name.part = static_cast<uint32_t>(1 + random.Below(9));
      if (std::find(set.names.begin(), set.names.end(), name) == set.names.end()) {
        set.names.push_back(name);
      }
    }
    const auto read = ParseJobs(JobsText(set));
    ASSERT_TRUE(read.ok()) << JobsText(set);
    EXPECT_EQ(read.value(), set);
  }
}

}  // namespace
}  // namespace muster::text
