// What was told stands until the next figure, and old figures thin out.
#include "meta/forecast/course.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::meta {
namespace {

schemas::Expected At(int64_t start) {
  return {Instant{start}, Instant{start - 10}, Instant{start + 10}, 0.9};
}

TEST(Course, AFigureStandsUntilTheNextOne) {
  Course course;
  course.Tell(Instant{100}, At(5000));
  course.Tell(Instant{200}, At(4000));
  EXPECT_FALSE(course.StoodAt(Instant{99}));
  EXPECT_EQ(course.StoodAt(Instant{100}), At(5000));
  EXPECT_EQ(course.StoodAt(Instant{199}), At(5000));
  EXPECT_EQ(course.StoodAt(Instant{1'000'000}), At(4000));
}

TEST(Course, TheSameFigureAgainIsKeptOnce) {
  Course course;
  for (int64_t i = 0; i < 50; ++i) course.Tell(Instant{i * 30}, At(5000));
  EXPECT_EQ(course.kept(), 1u);
}

TEST(Course, OldFiguresThinOutAndStayNearEnough) {
  // A figure every 30 s for five days; each names its own time.
  Course course;
  const int64_t now = 5 * 86'400;
  for (int64_t at = 0; at <= now; at += 30) course.Tell(Instant{at}, At(at));
  EXPECT_LT(course.kept(), 300u);
  for (const int64_t before : {600, 3600, 21'600, 86'400}) {
    const auto stood = course.StoodAt(Instant{now - before});
    ASSERT_TRUE(stood);
    const int64_t off = now - before - stood->start.seconds;
    EXPECT_GE(off, 0);
    EXPECT_LE(static_cast<double>(off), 30 + 0.2 * static_cast<double>(before));
  }
}

TEST(Course, AClockThatIsSetBackReplacesWhatItGoesBackOver) {
  Course course;
  course.Tell(Instant{1000}, At(5000));
  course.Tell(Instant{700'000}, At(6000));
  course.Tell(Instant{2000}, At(7000));
  EXPECT_EQ(course.StoodAt(Instant{700'000}), At(7000));
  EXPECT_EQ(course.kept(), 2u);
}

}  // namespace
}  // namespace muster::meta
