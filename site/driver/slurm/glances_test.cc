// Whom a glance asks for, and what its answers change.
#include "site/driver/slurm/glances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::driver::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Job JobIn(uint32_t id, JobState state) { return {.id = id, .state = state}; }

// Asks for all that it is told to ask for.
std::vector<uint32_t> Glance(Glances& glances, const std::set<uint32_t>& with_steps,
                             const std::vector<Job>& rows) {
  std::vector<uint32_t> ids;
  for (const Glances::Ask& ask : glances.ToAsk(with_steps, rows)) {
    glances.Asked(ask);
    ids.push_back(ask.job);
  }
  return ids;
}

TEST(Glances, AskForThoseThatBeganAndThoseThatEndedAndThoseThatRun) {
  Glances glances;
  EXPECT_FALSE(glances.whole()) << "nobody was asked for yet";
  const std::vector<Job> rows = {
      JobIn(1, JobState::kPending),     // has begun
      JobIn(2, JobState::kPending),     // waits as before
      JobIn(3, JobState::kRunning),     // has ended, or never had a step
      JobIn(4, JobState::kCompleting),  // may be done
      JobIn(5, JobState::kRunning),     // runs as before
      JobIn(6, JobState::kEnded),
  };
  EXPECT_THAT(Glance(glances, {1, 5, 7}, rows), ElementsAre(1, 7, 3, 4, 5));  // 7: nobody knew it
  EXPECT_TRUE(glances.whole());
}

TEST(Glances, AskInTurnWhereThereAreMoreThanOneMayAskFor) {
  Glances glances;
  std::vector<Job> rows;
  std::set<uint32_t> with_steps;
  for (uint32_t id = 1; id <= kMostInTurn + 3; ++id) {
    rows.push_back(JobIn(id, JobState::kRunning));
    with_steps.insert(id);
  }
  const std::vector<uint32_t> first = Glance(glances, with_steps, rows);
  EXPECT_EQ(first.size(), kMostInTurn);
  EXPECT_EQ(first.front(), 1u);
  EXPECT_FALSE(glances.whole());
  const std::vector<uint32_t> second = Glance(glances, with_steps, rows);
  EXPECT_EQ(second.size(), kMostInTurn);
  EXPECT_EQ(second.front(), kMostInTurn + 1);
  EXPECT_EQ(second[3], 1u) << "from the first again";
  // Those that began come beside them and first, however many have no step and seem to have ended.
  for (uint32_t id = 100; id < 100 + kMostBegun + 1; ++id) with_steps.insert(id);
  for (uint32_t id = 200; id < 300; ++id) rows.push_back(JobIn(id, JobState::kRunning));
  const std::vector<uint32_t> third = Glance(glances, with_steps, rows);
  EXPECT_EQ(third.size(), kMostBegun + 2 * kMostInTurn);
  EXPECT_EQ(third.front(), 100u);
  EXPECT_FALSE(glances.whole());
}

TEST(Glances, GoOnWithTheOneThatWasNotAskedForInTime) {
  Glances glances;
  std::vector<Job> rows;
  for (uint32_t id = 1; id <= 4; ++id) rows.push_back(JobIn(id, JobState::kRunning));
  const auto asks = glances.ToAsk({1, 2, 3, 4}, rows);
  ASSERT_EQ(asks.size(), 4u);
  glances.Asked(asks[0]);
  glances.Asked(asks[1]);
  EXPECT_FALSE(glances.whole());
  EXPECT_THAT(Glance(glances, {1, 2, 3, 4}, rows), ElementsAre(3, 4, 1, 2));
  EXPECT_TRUE(glances.whole());
}

TEST(Glances, OfNobodyAreWhole) {
  Glances glances;
  EXPECT_THAT(Glance(glances, {}, {JobIn(1, JobState::kPending)}), IsEmpty());
  EXPECT_TRUE(glances.whole());
}

TEST(Glances, AnswersReplaceRowsByTheirIdsAndKeepTheirPlaces) {
  std::vector<Job> rows = {JobIn(1, JobState::kPending), JobIn(2, JobState::kPending)};
  EXPECT_FALSE(Patch(JobIn(2, JobState::kPending), rows)) << "it is as it was";
  EXPECT_TRUE(Patch(JobIn(1, JobState::kRunning), rows));
  EXPECT_TRUE(Patch(JobIn(3, JobState::kRunning), rows));
  EXPECT_EQ(rows, (std::vector<Job>{JobIn(1, JobState::kRunning), JobIn(2, JobState::kPending),
                                    JobIn(3, JobState::kRunning)}));
}

}  // namespace
}  // namespace muster::driver::slurm
