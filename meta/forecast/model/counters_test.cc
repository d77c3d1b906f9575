// What each of the nine counters sees of past outcomes.
#include "meta/forecast/model/counters.h"

#include <gtest/gtest.h>

namespace muster::forecast {
namespace {

const Shape kSolve{"kim", 8, Span{3600}};
constexpr size_t kSame = 0;       // the same user, requested time and processors
constexpr size_t kSameShort = 1;  // the same with a short memory
constexpr size_t kUser = 2;
constexpr size_t kSize = 6;  // about as long and wide
constexpr size_t kAll = 7;
constexpr size_t kUserShares = 8;

// The chance of ending before this bucket, by one counter.
double EndsBefore(const Counters::Opinions& opinions, size_t counter, size_t bucket) {
  double left = 1;
  for (size_t b = 0; b < bucket; ++b) left *= 1 - opinions.of[counter][b].hazard;
  return 1 - left;
}

TEST(Counters, KnowNothingAtFirst) {
  const Counters::Opinions opinions = Counters().Of(kSolve, {});
  for (size_t i = 0; i < Counters::kCounters; ++i) {
    ASSERT_EQ(opinions.of[i].size(), BucketOf(Span{3600}) + 1);
    for (size_t b = 0; b < opinions.of[i].size(); ++b) {
      EXPECT_EQ(opinions.of[i][b].reached, 0);
      EXPECT_FLOAT_EQ(opinions.of[i][b].hazard, opinions.base[b]);
    }
  }
}

TEST(Counters, OutcomesCountWhereTheyEndedAndForAllBefore) {
  Counters counters;
  counters.Learn(kSolve, Span{600});
  const Counters::Opinions opinions = counters.Of(kSolve, {});
  const size_t end = BucketOf(Span{600});
  EXPECT_FLOAT_EQ(opinions.of[kSame][0].reached, 1);
  EXPECT_FLOAT_EQ(opinions.of[kSame][end].reached, 0.85f) << "a neighbour has 15 % of it";
  EXPECT_FLOAT_EQ(opinions.of[kSame][end + 2].reached, 0);
  EXPECT_GT(opinions.of[kSame][end].hazard, 0.5);
  EXPECT_LT(opinions.of[kSame][end - 5].hazard, 0.05);
}

TEST(Counters, ShortMemoriesFollowANewHabitFirst) {
  Counters counters;
  for (int i = 0; i < 50; ++i) counters.Learn(kSolve, Span{1800});
  for (int i = 0; i < 4; ++i) counters.Learn(kSolve, Span{60});
  const Counters::Opinions opinions = counters.Of(kSolve, {});
  const size_t five_minutes = BucketOf(Span{300});
  EXPECT_GT(EndsBefore(opinions, kSameShort, five_minutes), 0.75);
  EXPECT_LT(EndsBefore(opinions, kSame, five_minutes), 0.4);
}

TEST(Counters, AStrangersShapeIsSeenByItsSizeAndByShares) {
  Counters counters;
  for (int i = 0; i < 100; ++i) {
    counters.Learn({"user" + std::to_string(i), 8, Span{7200}}, Span{720});
  }
  const Counters::Opinions alike = counters.Of({"new", 9, Span{7200}}, {});
  EXPECT_GT(EndsBefore(alike, kSize, BucketOf(Span{1500})), 0.9);
  EXPECT_EQ(alike.of[kUser][0].reached, 0);
  // A tenth of what was asked, also where nobody asked for that much before.
  const Counters::Opinions longer = counters.Of({"new", 64, Span{72'000}}, {});
  EXPECT_EQ(longer.of[kSize][0].reached, 0);
  EXPECT_LT(EndsBefore(longer, kAll, BucketOf(Span{3000})), 0.2);
  EXPECT_GT(EndsBefore(longer, kAll, BucketOf(Span{15'000})), 0.8);
}

TEST(Counters, TheLimitIsAnOutcomeBeyondAllBuckets) {
  Counters counters;
  for (int i = 0; i < 50; ++i) counters.Learn(kSolve, Span{3600});
  const Counters::Opinions opinions = counters.Of(kSolve, {});
  const size_t top = BucketOf(Span{3600});
  EXPECT_GT(opinions.of[kSame][top].reached, 10);
  EXPECT_LT(EndsBefore(opinions, kSame, top + 1), 0.05);
}

TEST(Counters, ThoseThatRunCountAsSoManyOutcomesTogetherAtMost) {
  Counters counters;
  const std::vector<Kin> two(2, Kin{8, Span{3600}, Span{300}});
  const std::vector<Kin> many(140, Kin{8, Span{3600}, Span{300}});
  const size_t five_minutes = BucketOf(Span{300});
  EXPECT_FLOAT_EQ(counters.Of(kSolve, two).of[kSame][0].reached, 2);
  const Counters::Opinions opinions = counters.Of(kSolve, many);
  EXPECT_FLOAT_EQ(opinions.of[kSame][five_minutes - 1].reached, Counters::kMostKin);
  EXPECT_FLOAT_EQ(opinions.of[kSame][five_minutes].reached, 0) << "they came no further yet";
  EXPECT_FLOAT_EQ(opinions.of[kUserShares][0].reached, Counters::kMostKin);
  EXPECT_FLOAT_EQ(opinions.of[kSize][0].reached, 0) << "of all users";
}

TEST(Counters, KinOfAnotherShapeCountsForTheUserOnly) {
  const std::vector<Kin> other = {{64, Span{7200}, Span{300}}};
  const Counters::Opinions opinions = Counters().Of(kSolve, other);
  EXPECT_FLOAT_EQ(opinions.of[kUser][0].reached, 1);
  EXPECT_FLOAT_EQ(opinions.of[kSame][0].reached, 0);
}

TEST(Counters, ForgetWhatLearnedLongestAgoWhenThereAreTooMany) {
  Counters counters;
  counters.Learn({"old", 1, Span{3600}}, Span{60});
  for (int64_t i = 0; counters.kept() + 5 < Counters::kMostKept; ++i) {
    counters.Learn({"kim", i, Span{i + 1}}, Span{60});
  }
  EXPECT_GT(counters.Of({"old", 1, Span{3600}}, {}).of[kUser][0].reached, 0);
  for (int64_t i = 0; i < 10; ++i) counters.Learn({"ana", i, Span{3600 + i}}, Span{60});
  EXPECT_LT(counters.kept(), Counters::kMostKept * 6 / 10);
  EXPECT_EQ(counters.Of({"old", 1, Span{3600}}, {}).of[kUser][0].reached, 0);
  EXPECT_GT(counters.Of({"ana", 3, Span{3603}}, {}).of[kSame][0].reached, 0);
}

}  // namespace
}  // namespace muster::forecast
