// Compares jobs drawn from the model with what its parameters predict.
#include "sim/replay/lublin.h"

#include <gtest/gtest.h>

#include <bit>

namespace muster::sim {
namespace {

TEST(Lublin, SizesFollowTheirStagesAndRunTimesTheirMeans) {
  constexpr size_t kJobs = 20000;
  const SwfTrace trace = LublinTrace({.jobs = kJobs, .processors = 128}, 1);
  ASSERT_EQ(trace.jobs.size(), kJobs);
  size_t serial = 0;
  size_t powers = 0;
  size_t small = 0;
  size_t parallel = 0;
  int64_t before = 0;
  for (const SwfJob& job : trace.jobs) {
    EXPECT_GE(job.submitted, before);
    before = job.submitted;
    ASSERT_GE(job.processors, 1);
    ASSERT_LE(job.processors, 128);
    ASSERT_GE(job.ran, 1);
    ASSERT_LE(job.ran, 162754) << "e to the 12";
    serial += job.processors == 1 ? 1 : 0;
    if (job.processors == 1) continue;
    ++parallel;
    powers += std::has_single_bit(static_cast<uint64_t>(job.processors)) ? 1 : 0;
    small += job.processors <= 23 ? 1 : 0;  // 2 to the 4.5 is 22.6
  }
  EXPECT_NEAR(static_cast<double>(serial) / kJobs, .244, .04) << "and those rounded down to one";
  EXPECT_GT(static_cast<double>(powers) / static_cast<double>(parallel), .55);
  EXPECT_NEAR(static_cast<double>(small) / static_cast<double>(parallel), .86, .04);
}

TEST(Lublin, ItsDaysHaveBusyAndQuietHours) {
  const SwfTrace trace = LublinTrace({.jobs = 20000, .processors = 256}, 2);
  std::vector<size_t> hours(24);
  for (const SwfJob& job : trace.jobs) ++hours[static_cast<size_t>(job.submitted / 3600 % 24)];
  const auto [least, most] = std::minmax_element(hours.begin(), hours.end());
  EXPECT_GT(*most, 3 * *least);
}

TEST(Lublin, EqualSeedsGiveEqualTracesAndEachHomeArrivalsOfItsOwn) {
  const Lublin model{.kind = LublinKind::kBatch, .jobs = 3000, .processors = 64, .homes = 3};
  const SwfTrace one = LublinTrace(model, 5);
  const SwfTrace two = LublinTrace(model, 5);
  const SwfTrace other = LublinTrace(model, 6);
  std::vector<size_t> homes(3);
  bool differs = false;
  for (size_t i = 0; i < one.jobs.size(); ++i) {
    EXPECT_EQ(one.jobs[i].submitted, two.jobs[i].submitted);
    EXPECT_EQ(one.jobs[i].ran, two.jobs[i].ran);
    differs = differs || one.jobs[i].ran != other.jobs[i].ran;
    ++homes.at(static_cast<size_t>(one.jobs[i].partition / 100 - 1));
  }
  EXPECT_TRUE(differs);
  for (const size_t jobs : homes) EXPECT_GT(jobs, 700u);
}

}  // namespace
}  // namespace muster::sim
