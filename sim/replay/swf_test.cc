// Traces are read by the rules of scheduling.md section 10: what is left out or changed is counted.
#include "sim/replay/swf.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

namespace muster::sim {
namespace {

// number submit wait run allocated cpu memory requested asked memory ...
constexpr char kTail[] = " 1 7 3 -1 2 1 -1 -1\n";

SwfTrace Read(const std::string& lines, bool strict = false) {
  const auto trace = ParseSwf("t.swf", lines, {.strict = strict});
  EXPECT_TRUE(trace.ok()) << Text(trace.status());
  return trace.ok() ? *trace : SwfTrace{};
}

TEST(Swf, ALineIsAJob) {
  const SwfTrace trace = Read(std::string("1 20 5 60 4 -1 -1 8 90 2048") + kTail);
  ASSERT_EQ(trace.jobs.size(), 1u);
  const SwfJob& job = trace.jobs[0];
  EXPECT_EQ(job.submitted, 20);
  EXPECT_EQ(job.waited, 5);
  EXPECT_EQ(job.ran, 60);
  EXPECT_EQ(job.processors, 8) << "requested, not allocated";
  EXPECT_EQ(job.asked, 90);
  EXPECT_EQ(job.memory_kb, 2048);
  EXPECT_EQ(job.user, 7);
  EXPECT_EQ(job.group, 3);
  EXPECT_EQ(job.queue, 2);
  EXPECT_EQ(job.partition, 1);
}

TEST(Swf, WhatNeverRanOrHasNoProcessorsIsLeftOutAndCounted) {
  const SwfTrace trace =
      Read(std::string("1 0 5 -1 4 -1 -1 8 90 -1") + kTail + "2 1 5 60 -1 -1 -1 0 90 -1" + kTail +
           "3 2 5 60 0 -1 -1 2 90 -1" + kTail);
  ASSERT_EQ(trace.jobs.size(), 1u);
  EXPECT_EQ(trace.jobs[0].number, 3);
  EXPECT_EQ(trace.counts.lines, 3u);
  EXPECT_EQ(trace.counts.cancelled, 2u);
}

TEST(Swf, MissingAndContradictoryFieldsAreFilledAndCounted) {
  const SwfTrace trace =
      Read(std::string("1 0 -1 0 4 -1 -1 -1 90 -1") + kTail + "2 1 5 100 4 -1 -1 4 90 -1" + kTail +
           "3 2 5 60.9 4 1.5 -1 4 -1 -1" + kTail);
  ASSERT_EQ(trace.jobs.size(), 3u);
  EXPECT_EQ(trace.jobs[0].ran, 1);
  EXPECT_EQ(trace.jobs[0].processors, 4);
  EXPECT_FALSE(trace.jobs[0].waited);
  EXPECT_FALSE(trace.jobs[0].memory_kb);
  EXPECT_EQ(trace.jobs[1].ran, 90) << "killed at its limit";
  EXPECT_EQ(trace.jobs[2].asked, 60) << "exact";
  EXPECT_EQ(trace.counts.instant, 1u);
  EXPECT_EQ(trace.counts.no_processors, 1u);
  EXPECT_EQ(trace.counts.overran, 1u);
  EXPECT_EQ(trace.counts.no_request, 1u);
}

TEST(Swf, UnsortedJobsAreSortedAndEqualOnesKeepTheirOrder) {
  const std::string lines = std::string("1 9 5 60 4 -1 -1 4 90 -1") + kTail +
                            "2 3 5 60 4 -1 -1 4 90 -1" + kTail + "3 9 5 60 4 -1 -1 4 90 -1" + kTail;
  const SwfTrace trace = Read(lines);
  ASSERT_EQ(trace.jobs.size(), 3u);
  EXPECT_EQ(trace.jobs[0].number, 2);
  EXPECT_EQ(trace.jobs[1].number, 1);
  EXPECT_EQ(trace.jobs[2].number, 3);
  EXPECT_EQ(trace.counts.unsorted, 1u);
  const auto refused = ParseSwf("t.swf", lines, {.strict = true});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(Text(refused.status()), "t.swf:2: job 2 was submitted before the one above it");
}

TEST(Swf, TheHeaderNamesQueuesAndTheBeginning) {
  const SwfTrace trace = Read("; UnixStartTime: 835823160\n;Queue: 2 night  \n; Note: none\n\n");
  EXPECT_EQ(trace.began, 835823160);
  EXPECT_EQ(trace.queues.at(2), "night");
  EXPECT_EQ(trace.counts.lines, 0u);
}

TEST(Swf, WhatIsNoNumberIsRefusedWithItsLine) {
  const auto words = ParseSwf("t.swf", "; x\n1 0 5 sixty 4 -1 -1 4 90 -1\n");
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(Text(words.status()), "t.swf:2: field 4 is 'sixty', not a number");
  EXPECT_FALSE(ParseSwf("t.swf", "1 0 5 1e300 4 -1 -1 4 90 -1\n").ok());
  EXPECT_FALSE(ParseSwf("t.swf", "1 0 5 nan 4 -1 -1 4 90 -1\n").ok());
  EXPECT_FALSE(ParseSwf("t.swf", "1 0 5\n").ok());
}

TEST(Swf, FilesAreReadPackedAndPlainAndADamagedOneIsRefused) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "muster-swf-test";
  std::filesystem::create_directories(folder);
  const std::string packed = folder / "t.swf.gz";
  const std::string text(100000, 'x');
  gzFile file = gzopen(packed.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  EXPECT_GT(gzwrite(file, text.data(), text.size()), 0);
  EXPECT_EQ(gzclose(file), Z_OK);
  EXPECT_EQ(ReadPacked(packed).value(), text);
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
  EXPECT_FALSE(ReadPacked(packed).ok());
  EXPECT_FALSE(ReadPacked(folder / "none").ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::sim
