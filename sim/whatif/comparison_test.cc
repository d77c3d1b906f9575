// Two runs beside each other: what is told of them, and what users cannot learn.
#include "sim/whatif/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "schemas/limits.h"

namespace muster::sim {
namespace {

using ::testing::ElementsAre;

SideOutcome Sides() {
  SideOutcome side{.from = {1000}, .until = {2000}, .processors = 10};
  return side;
}

JobCourse& Add(SideOutcome& side, const std::string& name, const std::string& user) {
  JobCourse& job = side.jobs[name];
  job.name = name;
  job.user = user;
  job.submitted = {900};
  return job;
}

std::vector<std::string> JobsIn(const schemas::WhatIfView& view) {
  std::vector<std::string> out;
  for (const schemas::WhatIfRow& row : view.rows) out.push_back(row.job);
  return out;
}

TEST(WhatIf, TellsBrokenPromisesFirstAndThenTheLargestMoves) {
  SideOutcome before = Sides();
  SideOutcome after = Sides();
  for (const char* name : {"1", "2", "3", "4"}) Add(before, name, "kim").starts_by = Instant{1500};
  before.jobs["1"].told = Instant{1500};
  after = before;
  after.jobs["1"].starts_by = Instant{1600};
  after.jobs["1"].because = "lakes/n1 drained";
  after.jobs["2"].starts_by = Instant{1400};
  after.jobs["3"].starts_by = Instant{1560};  // a minute: the same
  after.jobs["4"].starts_by = Instant{1900};
  const schemas::WhatIfView view = Compared(before, after, {"root", true});
  EXPECT_THAT(JobsIn(view), ElementsAre("1", "4", "2"));
  EXPECT_EQ(view.breaks, 1u);
  EXPECT_TRUE(view.rows[0].breaks);
  EXPECT_EQ(view.rows[0].because, "lakes/n1 drained");
  EXPECT_EQ(view.moved, (schemas::MovedCounts{1, 2, 1}));
}

TEST(WhatIf, BreaksNoPromiseThatIsBrokenAsItIs) {
  SideOutcome before = Sides();
  JobCourse& job = Add(before, "1", "kim");
  job.told = Instant{1200};
  job.starts_by = Instant{1300};
  SideOutcome after = before;
  after.jobs["1"].starts_by = Instant{1700};
  EXPECT_EQ(Compared(before, after, {"root", true}).breaks, 0u);
  before.jobs["1"].starts_by = Instant{1200};
  EXPECT_EQ(Compared(before, after, {"root", true}).breaks, 1u);
  after.jobs["1"].starts_by.reset();
  EXPECT_EQ(Compared(before, after, {"root", true}).breaks, 1u);
}

TEST(WhatIf, SumsUpWhoStartedInTheRun) {
  SideOutcome side = Sides();
  JobCourse& one = Add(side, "1", "kim");
  one.account = "chem";
  one.life = {Instant{1000}, Instant{1100}, true, 5000};
  JobCourse& two = Add(side, "2", "ana");
  two.life = {Instant{1200}, std::nullopt, true, 2500};
  two.promised = Instant{1100};
  Add(side, "3", "ana");
  side.used_s = 7500;
  const schemas::WhatIfView view = Compared(side, side, {"root", true});
  ASSERT_TRUE(view.before);
  EXPECT_EQ(view.before->started, 2u);
  EXPECT_EQ(view.before->waiting, 1u);
  EXPECT_EQ(view.before->wait_s, 200);
  EXPECT_EQ(view.before->wait_p95_s, 300);
  EXPECT_EQ(view.before->slowdown, (2.0 + 1.375) / 2);
  EXPECT_EQ(view.before->utilisation_ratio, 0.75);
  EXPECT_EQ(view.before->promises_later, 1u);
  EXPECT_EQ(view.before->shares.size(), 2u);
  EXPECT_EQ(view.moved, (schemas::MovedCounts{0, 0, 3}));
}

TEST(WhatIf, ThatIsRefusedTellsNothingElse) {
  SideOutcome after;
  after.refused = "lakes does not take this";
  const schemas::WhatIfView view = Compared(Sides(), after, {"root", true});
  EXPECT_EQ(view.refused, "lakes does not take this");
  EXPECT_FALSE(view.before);
}

// Draws two runs; with `others`, the jobs of others are drawn anew while their counts stay.
struct Drawn {
  SideOutcome before = Sides();
  SideOutcome after = Sides();
};
Drawn Draw(uint64_t own_seed, uint64_t others_seed) {
  Drawn out;
  Random own(own_seed);
  Random others(others_seed);
  Random counts(own_seed + 1);
  const auto add = [&](const std::string& name, const std::string& user, Random& random,
                       int64_t delta) {
    const Instant start{1000 + random.Between(0, 800)};
    JobCourse& one = Add(out.before, name, user);
    one.starts_by = start;
    one.told = random.Chance(500) ? std::optional(start) : std::nullopt;
    JobCourse& two = Add(out.after, name, user);
    two = one;
    two.starts_by = start + Span{delta};
    two.because = "cause " + std::to_string(random.Between(0, 9));
    two.account = "account " + std::to_string(random.Between(0, 9));
  };
  for (int i = 0; i < 12; ++i) {
    add("own" + std::to_string(i), "kim", own, own.Between(-1, 1) * own.Between(0, 500));
  }
  for (int i = 0; i < 40; ++i) {
    // Whether it moves, and to which side, is the same; by how much, for whom and why is not.
    const int64_t side = counts.Between(-1, 1);
    add("other" + std::to_string(i), "u" + std::to_string(others.Between(0, 9)), others,
        side * (kSameStart.seconds + others.Between(1, 500)));
  }
  return out;
}

TEST(WhatIf, OfAUserIsAFunctionOfTheirOwnJobsAndTheCountsOfOthers) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Drawn one = Draw(seed, 1000 + seed);
    const Drawn two = Draw(seed, 5000 + seed);
    const schemas::WhatIfView first = Compared(one.before, one.after, {"kim", false});
    ASSERT_EQ(first, Compared(two.before, two.after, {"kim", false})) << "seed " << seed;
    EXPECT_FALSE(first.before || first.after);
    for (const schemas::WhatIfRow& row : first.rows) EXPECT_EQ(row.user, "kim");
  }
}

TEST(WhatIf, TellsAUserNoCountOfFewOthers) {
  SideOutcome before = Sides();
  for (int i = 0; i < 9; ++i) {
    Add(before, std::to_string(i), "ana").starts_by = Instant{1500};
  }
  SideOutcome after = before;
  for (int i = 0; i < 4; ++i) after.jobs[std::to_string(i)].starts_by = Instant{1900};
  const schemas::WhatIfView view = Compared(before, after, {"kim", false});
  EXPECT_EQ(view.others.later, std::nullopt);
  EXPECT_EQ(view.others.same, 5u);
  EXPECT_EQ(view.others.earlier, std::nullopt);
  EXPECT_TRUE(view.rows.empty());
}

}  // namespace
}  // namespace muster::sim
