// Whom a glance asks for, and what its answers change.
#include "site/driver/slurm/glances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::driver::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Job JobIn(uint32_t id, JobState state) { return {.id = id, .state = state}; }

TEST(Glances, AskForThoseThatBeganAndThoseThatEndedAndThoseThatRun) {
  Glances glances;
  const std::vector<Job> rows = {
      JobIn(1, JobState::kPending),     // has begun
      JobIn(2, JobState::kPending),     // waits as before
      JobIn(3, JobState::kRunning),     // has ended, or never had a step
      JobIn(4, JobState::kCompleting),  // may be done
      JobIn(5, JobState::kRunning),     // runs as before
      JobIn(6, JobState::kEnded),
  };
  EXPECT_THAT(glances.ToAsk({1, 5, 7}, rows), ElementsAre(1, 3, 4, 7, 5));  // 7: nobody knew it
  EXPECT_TRUE(glances.whole());
}

TEST(Glances, AskInTurnWhereThereAreMoreThanOneMayAskFor) {
  Glances glances;
  EXPECT_FALSE(glances.whole()) << "nothing was asked for yet";
  std::vector<Job> rows;
  std::set<uint32_t> with_steps;
  for (uint32_t id = 1; id <= kMostInTurn + 3; ++id) {
    rows.push_back(JobIn(id, JobState::kRunning));
    with_steps.insert(id);
  }
  const std::vector<uint32_t> first = glances.ToAsk(with_steps, rows);
  EXPECT_EQ(first.size(), kMostInTurn);
  EXPECT_EQ(first.front(), 1u);
  EXPECT_FALSE(glances.whole());
  const std::vector<uint32_t> second = glances.ToAsk(with_steps, rows);
  EXPECT_EQ(second.size(), kMostInTurn);
  EXPECT_EQ(second.front(), kMostInTurn + 1);
  EXPECT_EQ(second[3], 1u) << "from the first again";
  // News come beside them, and are no fewer for it.
  for (uint32_t id = 100; id < 100 + kMostNews + 1; ++id) with_steps.insert(id);
  EXPECT_EQ(glances.ToAsk(with_steps, rows).size(), kMostNews + kMostInTurn);
}

TEST(Glances, OfNobodyAreWhole) {
  Glances glances;
  EXPECT_THAT(glances.ToAsk({}, {JobIn(1, JobState::kPending)}), IsEmpty());
  EXPECT_TRUE(glances.whole());
}

TEST(Glances, AnswersReplaceRowsByTheirIdsAndKeepTheirPlaces) {
  std::vector<Job> rows = {JobIn(1, JobState::kPending), JobIn(2, JobState::kPending)};
  EXPECT_FALSE(Patch({JobIn(2, JobState::kPending)}, rows)) << "it is as it was";
  EXPECT_TRUE(Patch({JobIn(1, JobState::kRunning), JobIn(3, JobState::kRunning)}, rows));
  EXPECT_EQ(rows, (std::vector<Job>{JobIn(1, JobState::kRunning), JobIn(2, JobState::kPending),
                                    JobIn(3, JobState::kRunning)}));
}

}  // namespace
}  // namespace muster::driver::slurm
