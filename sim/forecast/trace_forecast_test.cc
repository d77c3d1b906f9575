// The machine under the forecasts against an independent simulator, and forecasts that hold.
#include "sim/forecast/trace_forecast.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/random.h"

namespace muster::sim {
namespace {

std::optional<std::string> FileIn(const char* variable, const std::string& name) {
  const char* folder = std::getenv(variable);
  if (!folder) return std::nullopt;
  return std::string(folder) + "/" + name;
}

TEST(TraceForecast, ConservativeStartsAreThoseOfTheIndependentSimulatorJobByJob) {
  const auto trace = FileIn("MUSTER_TRACES", "KTH-SP2-1996-2.1-cln.swf.gz");
  const auto reference = FileIn("MUSTER_REFERENCE", "kth-conservative-exact.starts.gz");
  if (!trace || !reference) GTEST_SKIP() << "MUSTER_TRACES and MUSTER_REFERENCE are not set";
  const auto text = ReadPacked(*trace);
  const auto starts = ReadPacked(*reference);
  ASSERT_TRUE(text.ok() && starts.ok());
  auto parsed = ParseSwf("kth", *text);
  ASSERT_TRUE(parsed.ok());
  std::erase_if(parsed->jobs, [](const SwfJob& job) { return job.processors > 100; });
  parsed->jobs.resize(20'000);
  std::istringstream lines(*starts);
  size_t same = 0;
  for (const auto& [job, start] : ConservativeStarts(parsed->jobs, 100, true)) {
    int64_t expected_job = 0;
    int64_t expected_start = 0;
    ASSERT_TRUE(lines >> expected_job >> expected_start);
    ASSERT_EQ(job, expected_job);
    ASSERT_EQ(start, expected_start) << "job " << job;
    ++same;
  }
  EXPECT_EQ(same, 20'000u);
}

// A small log in which users run as long as they usually do.
std::string SmallLog(const std::string& path) {
  Random random(5);
  std::ofstream out(path);
  int64_t at = 0;
  for (int i = 1; i <= 1500; ++i) {
    at += static_cast<int64_t>(random.Below(660));
    const int64_t user = random.Between(1, 5);
    const int64_t ran = 200 * user + random.Between(0, 60);
    out << i << ' ' << at << " 0 " << ran << ' ' << random.Between(1, 6) << " -1 -1 -1 " << 3600
        << " -1 1 " << user << " 1 1 1 1 -1 -1\n";
  }
  return path;
}

TEST(TraceForecast, HabitsBeatTheTimesAskedForAndIntervalsHold) {
  const std::string path = ::testing::TempDir() + "forecast.swf";
  TraceForecastOptions options;
  options.trace = SmallLog(path);
  options.processors = 8;
  const auto report = ForecastTrace(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->jobs, 1500u);
  EXPECT_EQ(report->broken, 0u);
  ASSERT_GT(report->judged, 200u);
  EXPECT_LT(report->expected.mean_minutes, report->requested.mean_minutes / 3);
  EXPECT_LE(report->clairvoyant.mean_minutes, report->expected.mean_minutes);
  const double coverage =
      static_cast<double>(report->covered) / static_cast<double>(report->intervals);
  EXPECT_GE(coverage, 0.86);
  EXPECT_LE(coverage, 0.98) << "habits are narrow: more than the stated share may hold";
  EXPECT_LT(report->width_over_wait, 2);
  // The same seed and input give the same bytes.
  EXPECT_EQ(ToJson(options, *ForecastTrace(options)), ToJson(options, *report));
  std::remove(path.c_str());
}

TEST(TraceForecast, ATraceThatIsNotThereIsNamed) {
  TraceForecastOptions options;
  options.trace = "/nowhere/log.swf";
  options.processors = 8;
  const auto report = ForecastTrace(options);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.status().ToString().find("/nowhere/log.swf"), std::string::npos);
  options.processors = 0;
  EXPECT_NE(ForecastTrace(options).status().ToString().find("--procs 0"), std::string::npos);
}

}  // namespace
}  // namespace muster::sim
