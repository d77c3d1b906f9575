// Lives of parts, and what they used between two instants.
#include "sim/whatif/courses.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

Moment At(int64_t seconds) { return {seconds * 1000}; }

TEST(Courses, CountWhatIsUsedBetweenTheTwoInstantsAlone) {
  Courses courses({100}, {200});
  courses.Adopted("a", "1", At(40), 2);
  courses.Started("b", "2", At(150), 4);
  courses.Ended("a", At(160));
  courses.Finish();
  EXPECT_EQ(courses.lives().at("1").used_s, 120);
  EXPECT_EQ(courses.lives().at("2").used_s, 200);
  EXPECT_EQ(courses.used_s(), 320);
  EXPECT_FALSE(courses.lives().at("1").started_here);
  EXPECT_TRUE(courses.lives().at("2").started_here);
  EXPECT_FALSE(courses.lives().at("2").ended);
}

TEST(Courses, JobsOfSeveralPartsBeginWithTheFirstAndEndWithTheLast) {
  Courses courses({0}, {100});
  courses.Started("a", "1", At(10), 1);
  courses.Started("b", "1", At(12), 1);
  courses.Ended("a", At(30));
  EXPECT_FALSE(courses.lives().at("1").ended);
  courses.Ended("b", At(40));
  courses.Ended("b", At(50));
  EXPECT_EQ(courses.lives().at("1").started, Instant{10});
  EXPECT_EQ(courses.lives().at("1").ended, Instant{40});
}

TEST(Courses, WhoIsRecalledHasBegunWithItsLastLife) {
  Courses courses({0}, {100});
  courses.Started("a", "1", At(10), 1);
  courses.Ended("a", At(20));
  courses.Started("b", "1", At(60), 1);
  EXPECT_EQ(courses.lives().at("1").started, Instant{60});
  EXPECT_FALSE(courses.lives().at("1").ended);
  courses.Finish();
  EXPECT_EQ(courses.used_s(), 50);
}

}  // namespace
}  // namespace muster::sim
