// A trace as the workload of a site: nodes, resources, and a day with the jobs from before it.
#include "sim/replay/site_workload.h"

#include <gtest/gtest.h>

namespace muster::sim::site_workload_test {
namespace {

constexpr int64_t kDay = 86400;

TEST(SiteWorkload, NodesAreWrittenAsACountOfSizes) {
  const auto nodes = NodesFromText("2x80:512gb,1x12");
  ASSERT_TRUE(nodes.ok()) << Text(nodes.status());
  ASSERT_EQ(nodes->size(), 3u);
  EXPECT_EQ((*nodes)[1].name, "a2");
  EXPECT_EQ((*nodes)[1].resources, (ResourceSet{{"ncpus", 80}, {"mem", int64_t{512} << 30}}));
  EXPECT_EQ((*nodes)[2].name, "b1");
  EXPECT_EQ((*nodes)[2].resources, (ResourceSet{{"ncpus", 12}}));
  for (const char* wrong : {"", "16", "0x16", "2x", "2x4x8", "2x4:", "2x4:8gb:1", "999999x1"}) {
    EXPECT_FALSE(NodesFromText(wrong).ok()) << wrong;
  }
}

TEST(SiteWorkload, AMachineFileNamesKindsOfNodes) {
  const auto nodes = NodesFromFile("m.tsv", "0\tzewura\t2\t80\t1\t1024\n1\tzegox\t1\t12\t1\t512\n");
  ASSERT_TRUE(nodes.ok()) << Text(nodes.status());
  ASSERT_EQ(nodes->size(), 3u);
  EXPECT_EQ((*nodes)[1].name, "zewura2");
  EXPECT_EQ((*nodes)[1].resources, (ResourceSet{{"ncpus", 80}, {"mem", 1024 * 1024}}));
  EXPECT_EQ((*nodes)[2].properties.at("kind"), "zegox");
  const auto refused = NodesFromFile("m.tsv", "0\tzewura\t2\t80\t1\t1024\nzegox\t1\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(Text(refused.status()).starts_with("m.tsv:2: ")) << Text(refused.status());
}

ResourceFile Resources(const std::string& row) {
  const auto nodes = NodesFromFile("m.tsv", "0\tzewura\t2\t80\t1\t1024\n");
  const auto file = ReadResourceFile("r.tsv", "job\tprocs\n" + row, *nodes);
  EXPECT_TRUE(file.ok()) << Text(file.status());
  return file.ok() ? *file : ResourceFile{};
}

TEST(SiteWorkload, AResourceFileSaysHowProcessorsAreSpread) {
  const ResourceFile file = Resources("7\t9\t3\t2048\tq\t2:ppn=4:cl_zewura:nfs4#excl\t-\n");
  const NodesAsked& asked = file.jobs.at(7);
  ASSERT_EQ(asked.chunks.size(), 1u);
  EXPECT_EQ(asked.chunks[0].count, 2u);
  EXPECT_EQ(asked.chunks[0].resources, (ResourceSet{{"ncpus", 4}, {"mem", 2048}}));
  EXPECT_EQ(asked.chunks[0].properties.at("kind"), "zewura");
  EXPECT_TRUE(asked.exclusive);
  EXPECT_EQ(file.words_ignored, 1u) << "nfs4";
  const ResourceFile two = Resources("7\t9\t2\t0\tq\t1:ppn=1+4:ppn=2#shared\t-\n");
  ASSERT_EQ(two.jobs.at(7).chunks.size(), 2u);
  EXPECT_EQ(two.jobs.at(7).chunks[1].count, 4u);
  EXPECT_FALSE(two.jobs.at(7).exclusive);
  EXPECT_FALSE(ReadResourceFile("r.tsv", "job\n7\tx\n", {}).ok());
}

SwfJob Job(int64_t number, int64_t submitted, int64_t waited, int64_t ran, int64_t processors = 4) {
  return {.number = number,
          .submitted = submitted,
          .waited = waited,
          .ran = ran,
          .processors = processors,
          .asked = 2 * ran,
          .memory_kb = 8,
          .user = number,
          .group = 1};
}

TEST(SiteWorkload, ADayBeginsWithWhatRanAndWhatWaited) {
  SwfTrace trace{.began = 1000};
  trace.jobs = {Job(1, 0, 10, 100),           // over by then
                Job(2, 10, kDay - 100, 190),  // has run 90 s
                Job(3, 20, kDay, 50),         // waits
                Job(4, kDay + 5, 3, 60),      // arrives
                Job(5, 2 * kDay, 3, 60)};     // on the next day
  const SiteWorkload day = MakeSiteWorkload(trace, {}, {.day = 1});
  EXPECT_EQ(day.began, 1000 + kDay);
  ASSERT_EQ(day.jobs.size(), 3u);
  EXPECT_EQ(day.running, 1u);
  EXPECT_EQ(day.waiting, 1u);
  EXPECT_EQ(day.jobs[0].runs, Span{100});
  EXPECT_EQ(day.jobs[0].spec.duration, Span{380 - 90});
  EXPECT_EQ(day.jobs[1].arrives, Span{0});
  EXPECT_EQ(day.jobs[2].arrives, Span{5});
  EXPECT_EQ(day.jobs[2].user, "u4");
  EXPECT_EQ(MakeSiteWorkload(trace, {}, {.jobs = 2}).jobs.size(), 2u);
  EXPECT_EQ(BusiestDay(trace), 0);
}

TEST(SiteWorkload, WithoutARowAJobAsksForProcessorsOneByOne) {
  SwfTrace trace;
  trace.jobs = {Job(7, 0, 0, 10, 9), Job(8, 0, 0, 10, 8)};
  const ResourceFile file = Resources("7\t9\t2\t0\tq\t1:ppn=1+4:ppn=2\t-\n8\t9\t1\t0\tq\t1\t-\n");
  const SiteWorkload all = MakeSiteWorkload(trace, file, {});
  EXPECT_EQ(all.jobs[0].spec.parts[0].chunks.size(), 2u);
  const auto& chunks = all.jobs[1].spec.parts[0].chunks;
  ASSERT_EQ(chunks.size(), 1u) << "its row is of another number of processors";
  EXPECT_EQ(chunks[0].count, 8u);
  EXPECT_EQ(chunks[0].resources, (ResourceSet{{"ncpus", 1}, {"mem", 8 * 1024}}));
}

}  // namespace
}  // namespace muster::sim::site_workload_test
