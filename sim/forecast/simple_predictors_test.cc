// The two simple predictors that a forecast has to beat.
#include "sim/forecast/simple_predictors.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

const forecast::Shape kSolve{"kim", 8, Span{3600}};

TEST(RecentRuns, AUserWithoutOneTakesWhatWasAskedFor) {
  EXPECT_EQ(RecentRuns().LastTwo(kSolve, Span{0}), Span{3600});
  EXPECT_EQ(RecentRuns().Drawn(kSolve, Span{0}, 0.5), Span{3600});
}

TEST(RecentRuns, TheLastTwoAreTakenWhateverTheirShape) {
  RecentRuns runs;
  runs.Learn({"kim", 1, Span{10'000}}, Span{9000});
  EXPECT_EQ(runs.LastTwo(kSolve, Span{0}), Span{3600}) << "at most what is asked for";
  runs.Learn(kSolve, Span{100});
  runs.Learn(kSolve, Span{300});
  EXPECT_EQ(runs.LastTwo(kSolve, Span{0}), Span{200});
  EXPECT_EQ(runs.LastTwo(kSolve, Span{200}), Span{3600}) << "it has run for longer";
}

TEST(RecentRuns, OneThatIsLongerThanItHasRunIsDrawn) {
  RecentRuns runs;
  for (int64_t i = 1; i <= 40; ++i) runs.Learn(kSolve, Span{i * 10});
  const auto kept = static_cast<int64_t>(RecentRuns::kKept);
  EXPECT_EQ(runs.Drawn(kSolve, Span{0}, 0), Span{(41 - kept) * 10}) << "older ones are forgotten";
  EXPECT_EQ(runs.Drawn(kSolve, Span{0}, 0.999), Span{400});
  EXPECT_EQ(runs.Drawn(kSolve, Span{395}, 0), Span{400});
  EXPECT_EQ(runs.Drawn(kSolve, Span{400}, 0), Span{3600});
}

}  // namespace
}  // namespace muster::sim
