// A pass of the gap rule, without a core. scheduling.md section 1 (Gap rule).
#include "meta/search/gap_pass.h"

#include <gtest/gtest.h>

namespace muster::meta {
namespace {

Rank RankOfJob(uint64_t serial) {
  Rank rank;
  rank.id = RequestId{serial};
  return rank;
}

TEST(GapPass, BeginsWithAReleaseIfRequestsWait) {
  GapPass pass;
  pass.NoteRelease(false);
  EXPECT_FALSE(pass.running());
  pass.NoteRelease(true);
  EXPECT_TRUE(pass.running());
  EXPECT_EQ(pass.releases(), 2u);
}

TEST(GapPass, IsRepeatedOnceAfterReleasesDuringIt) {
  GapPass pass;
  pass.NoteRelease(true);
  pass.Pass(RankOfJob(7));
  pass.NoteRelease(true);
  pass.NoteRelease(true);
  ASSERT_TRUE(pass.passed().has_value());
  EXPECT_TRUE(pass.End());
  EXPECT_FALSE(pass.passed().has_value());
  EXPECT_FALSE(pass.End());
  EXPECT_FALSE(pass.running());
}

TEST(GapPass, ForgetsFailedShapesAtItsEndAndRefusalsWithARelease) {
  GapPass pass;
  pass.NoteRelease(true);
  pass.NoteNone("four nodes");
  pass.NoteRefused("ada");
  EXPECT_TRUE(pass.FoundNone("four nodes"));
  EXPECT_FALSE(pass.End());
  EXPECT_FALSE(pass.FoundNone("four nodes"));
  EXPECT_TRUE(pass.WasRefused("ada"));
  pass.NoteRelease(true);
  EXPECT_FALSE(pass.WasRefused("ada"));
}

TEST(GapPass, BeginsAgainAtTheFirstRankWhereRoomIsBackAndKeepsRefusals) {
  GapPass pass;
  pass.NoteRelease(true);
  pass.Pass(RankOfJob(7));
  pass.NoteNone("four nodes");
  pass.NoteRefused("ada");
  pass.BeginAgain();
  EXPECT_TRUE(pass.running());
  EXPECT_FALSE(pass.passed().has_value());
  EXPECT_FALSE(pass.FoundNone("four nodes"));
  EXPECT_TRUE(pass.WasRefused("ada"));
}

TEST(GapPass, GoesOnFromTheFirstIfRanksChangeAndLooksAtNobodyTwice) {
  GapPass pass;
  pass.NoteReordered();
  EXPECT_FALSE(pass.running()) << "nothing to go through";
  pass.NoteRelease(true);
  EXPECT_TRUE(pass.Pass(RankOfJob(7)));
  pass.NoteNone("shape");
  pass.NoteReordered();
  EXPECT_TRUE(pass.running());
  EXPECT_FALSE(pass.passed().has_value());
  EXPECT_TRUE(pass.FoundNone("shape")) << "no room came";
  EXPECT_FALSE(pass.Pass(RankOfJob(7)));
  EXPECT_TRUE(pass.Pass(RankOfJob(8)));
  EXPECT_FALSE(pass.End());
  pass.NoteRelease(true);
  EXPECT_TRUE(pass.Pass(RankOfJob(7))) << "another pass";
}

}  // namespace
}  // namespace muster::meta
