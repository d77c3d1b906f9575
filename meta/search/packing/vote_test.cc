// The vote by its thresholds, and that it does not flap. CCS Sect. 3.3, scheduling.md section 2.
#include "meta/search/packing/vote.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace muster::packing {
namespace {

Ballot Of(size_t delayed, size_t interactive) {
  return {.requests = 100, .delayed = delayed, .votes = 100, .interactive = interactive};
}

TEST(Voting, UnsaturatedIsFcfsStarWhateverIsAskedFor) {
  Voting voting;
  for (const size_t interactive : {0u, 50u, 100u}) {
    EXPECT_EQ(voting.Count(Of(50, interactive)).algorithm, Algorithm::kFcfsStar);
  }
  EXPECT_FALSE(voting.leaning().has_value());
}

TEST(Voting, SaturationBeginsAboveAHalfAndEndsBelowAQuarter) {
  Voting voting;
  EXPECT_EQ(voting.Count(Of(51, 100)).algorithm, Algorithm::kFfihStar);
  EXPECT_EQ(voting.Count(Of(25, 100)).algorithm, Algorithm::kFfihStar);
  EXPECT_EQ(voting.Count(Of(24, 100)).algorithm, Algorithm::kFcfsStar);
  EXPECT_EQ(voting.Count(Of(50, 100)).algorithm, Algorithm::kFcfsStar);
}

TEST(Voting, TheMajorityChoosesAndBetweenTheBoundsNothingChanges) {
  Voting voting;
  EXPECT_EQ(voting.Count(Of(90, 44)).algorithm, Algorithm::kFfdhStar);
  EXPECT_EQ(voting.Count(Of(90, 55)).algorithm, Algorithm::kFfdhStar);
  EXPECT_EQ(voting.Count(Of(90, 56)).algorithm, Algorithm::kFfihStar);
  EXPECT_EQ(voting.Count(Of(90, 45)).algorithm, Algorithm::kFfihStar);
  EXPECT_EQ(voting.Count(Of(90, 44)).algorithm, Algorithm::kFfdhStar);
}

TEST(Voting, TheFirstTimeAHalfIsInteractive) {
  EXPECT_EQ(Voting().Count(Of(90, 50)).algorithm, Algorithm::kFfihStar);
  EXPECT_EQ(Voting().Count(Of(90, 49)).algorithm, Algorithm::kFfdhStar);
}

TEST(Voting, SaysWhyInALine) {
  Voting voting;
  EXPECT_EQ(voting.Count(Of(71, 19)).why, "saturated: 71 % of the block cannot start in 60 s");
  EXPECT_EQ(voting.Count(Of(20, 19)).why, "not saturated");
}

TEST(Voting, GoesOnWhereItWasStored) {
  Voting voting;
  voting.Count(Of(90, 20));
  Voting restored(voting.saturated(), voting.leaning(), voting.counted());
  EXPECT_EQ(restored.Count(Of(30, 50)).algorithm, Algorithm::kFfdhStar);
}

TEST(Voting, RemembersTheNewestThatVotedAndNeverForgetsIt) {
  Voting voting(false, std::nullopt, {7});
  EXPECT_EQ(voting.counted(), RequestId{7});
  Ballot ballot = Of(90, 20);
  ballot.newest = {9};
  voting.Count(ballot);
  EXPECT_EQ(voting.counted(), RequestId{9});
  ballot.newest = {8};  // a block of old ones, and nobody came
  voting.Count(ballot);
  EXPECT_EQ(voting.counted(), RequestId{9});
}

Voter By(const std::string& user, uint64_t job, bool interactive) {
  return {.user = user, .job = {job}, .interactive = interactive};
}

// CCS Sect. 3.3: "most of the relevant requests were submitted for ...".
TEST(BallotOf, WhoCameSinceTheLastVoteVotesToo) {
  const Ballot ballot = BallotOf({By("a", 1, false)}, {By("b", 2, true), By("c", 3, true)}, 1);
  EXPECT_EQ(ballot.votes, 3u);
  EXPECT_EQ(ballot.interactive, 2u);
  EXPECT_EQ(ballot.newest, RequestId{3});
}

TEST(BallotOf, HowLongTheyWaitIsJudgedOverTheBlockAlone) {
  const Ballot ballot = BallotOf({By("a", 1, false), By("b", 2, false), By("c", 3, false)},
                                 {By("d", 4, true), By("e", 5, true)}, 2);
  EXPECT_EQ(ballot.requests, 3u);
  EXPECT_EQ(ballot.delayed, 2u);
}

TEST(BallotOf, AJobVotesOnceThoughItCameAndIsInTheBlockAndAnArrayOnce) {
  const Ballot ballot = BallotOf({By("a", 1, false), By("a", 1, false), By("b", 2, true)},
                                 {By("b", 2, true), By("a", 1, false)}, 3);
  EXPECT_EQ(ballot.votes, 2u);
  EXPECT_EQ(ballot.interactive, 1u);
}

TEST(BallotOf, AUserWithManyJobsHasEightVotesInTheProportionOfTheJobs) {
  std::vector<Voter> block;
  std::vector<Voter> came;
  for (uint64_t i = 0; i < 10; ++i) block.push_back(By("a", 1 + i, false));
  for (uint64_t i = 0; i < 30; ++i) came.push_back(By("a", 11 + i, true));
  came.push_back(By("b", 90, false));
  const Ballot ballot = BallotOf(block, came, 10);
  EXPECT_EQ(ballot.votes, kVotesPerUser + 1);
  EXPECT_EQ(ballot.interactive, 6u) << "three quarters of eight";
}

// Noise smaller than the dead bands switches at most once, whatever the middle is.
TEST(Voting, DoesNotFlapUnderNoiseWithinItsDeadBands) {
  Random random(3);
  for (int run = 0; run < 300; ++run) {
    Voting voting;
    const int64_t delayed = random.Between(12, 88);
    const int64_t interactive = random.Between(5, 95);
    std::optional<Algorithm> last;
    int switches = 0;
    for (int block = 0; block < 60; ++block) {
      const Vote vote = voting.Count(Of(static_cast<size_t>(delayed + random.Between(-12, 12)),
                                        static_cast<size_t>(interactive + random.Between(-5, 5))));
      if (last && *last != vote.algorithm) ++switches;
      last = vote.algorithm;
    }
    // One of saturation and, once saturated, one of the majority.
    EXPECT_LE(switches, 2) << "around " << delayed << " % delayed, " << interactive << " %";
  }
}

}  // namespace
}  // namespace muster::packing
