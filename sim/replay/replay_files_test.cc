// The files written of a replay: their layout, and formats that can be read back.
#include "sim/replay/replay_files.h"

#include <gtest/gtest.h>

#include "sim/replay/replay_plots.h"

namespace muster::sim {
namespace {

// A finished replay; one job in five is co-allocated.
ReplayRun SmallRun(const std::string& name) {
  RunSettings settings{.name = name, .sites = {"lakes=flat:64", "woods=flat:32"}, .seed = 3};
  settings.model = Lublin{.jobs = 120, .processors = 32, .homes = 2};
  settings.co_allocated = 200;
  absl::StatusOr<ReplayRun> run = RunReplay(settings, nullptr);
  EXPECT_TRUE(run.ok()) << Text(run.status());
  return *std::move(run);
}

TEST(ReplayFiles, WaitsAreToldInTwoUnits) {
  EXPECT_EQ(WaitText(0), "0s");
  EXPECT_EQ(WaitText(59.4), "59s");
  EXPECT_EQ(WaitText(31 * 60 + 5), "31m");
  EXPECT_EQ(WaitText(3 * 3600 + 2 * 60), "3h02m");
  EXPECT_EQ(WaitText(2 * 86400 + 4 * 3600 + 100), "2d04h");
}

TEST(ReplayFiles, TheTableHasARowAndSaysWhatWasLeftOut) {
  std::vector<ReplayRun> runs;
  runs.push_back(SmallRun("small"));
  runs[0].workload.counts.trace.cancelled = 23;
  const std::string table = ReplayTable(runs);
  EXPECT_EQ(
      table.substr(0, table.find('\n', table.find('\n') + 1)),
      "daemon times\nJOBS  SKIPPED  WAIT mean/p95  SLOWDOWN  UTILISATION  KEPT   90 % COVERS");
  EXPECT_NE(table.find("skipped: 23 cancelled before start\n"), std::string::npos) << table;
  EXPECT_NE(table.find("lakes"), std::string::npos);
  EXPECT_EQ(table.find("broken"), std::string::npos) << table;
}

TEST(ReplayFiles, AScheduleWrittenAsATraceIsReadAsOne) {
  const ReplayRun run = SmallRun("small");
  const auto trace = ParseSwf("out.swf", ReplaySwf(run), {.strict = true});
  ASSERT_TRUE(trace.ok()) << Text(trace.status());
  ASSERT_EQ(trace->jobs.size(), run.workload.jobs.size());
  EXPECT_EQ(trace->began, run.workload.jobs.front().submitted.seconds);
  for (size_t i = 0; i < trace->jobs.size(); ++i) {
    const FederationJob& job = run.workload.jobs[i];
    EXPECT_EQ(trace->jobs[i].processors, job.Processors());
    EXPECT_EQ(trace->jobs[i].waited, (*run.result.jobs[i].start - job.submitted).seconds);
    EXPECT_EQ(trace->jobs[i].ran, job.runs.seconds);
  }
}

TEST(ReplayFiles, EqualRunsGiveEqualBytes) {
  std::vector<ReplayRun> one;
  std::vector<ReplayRun> two;
  one.push_back(SmallRun("small"));
  two.push_back(SmallRun("small"));
  EXPECT_EQ(ReplayTable(one), ReplayTable(two));
  EXPECT_EQ(ReplayJson(one), ReplayJson(two));
  EXPECT_EQ(ReplayCsv(one), ReplayCsv(two));
  EXPECT_EQ(PlotsJson(ReplayPlots("t", one)), PlotsJson(ReplayPlots("t", two)));
}

}  // namespace
}  // namespace muster::sim
