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
      JobName name{.job = 1 + random.Below(1000), .element = std::nullopt, .part = std::nullopt};
      if (random.Chance(300)) name.element = random.Below(100);
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
