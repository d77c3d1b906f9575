// The machine under the forecasts against an independent simulator, and forecasts that hold.
#include "sim/forecast/trace_forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "sim/replay/replay_run.h"

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
  EXPECT_GE(report->coverage.ratio, 0.86);
  EXPECT_LE(report->coverage.ratio, 0.98)
      << "habits are narrow: more than the stated share may hold";
  EXPECT_LT(report->width_over_wait, 2);
  // The same seed and input give the same bytes.
  EXPECT_EQ(ToJson(options, *ForecastTrace(options)), ToJson(options, *report));
  std::remove(path.c_str());
}

// Jobs of a made log.
class MadeLog {
 public:
  // Asked and ran are in seconds.
  void Add(int64_t at, int64_t user, int64_t processors, int64_t asked, int64_t ran) {
    jobs_.push_back({at, user, processors, asked, ran});
  }
  TraceForecastOptions Write(const std::string& name, int64_t processors) {
    std::stable_sort(jobs_.begin(), jobs_.end(),
                     [](const Job& a, const Job& b) { return a.at < b.at; });
    const std::string path = ::testing::TempDir() + name + ".swf";
    std::ofstream out(path);
    size_t number = 0;
    for (const Job& job : jobs_) {
      out << ++number << ' ' << job.at << " 0 " << job.ran << ' ' << job.processors << " -1 -1 -1 "
          << job.asked << " -1 1 " << job.user << " 1 1 1 1 -1 -1\n";
    }
    TraceForecastOptions options;
    options.trace = path;
    options.processors = processors;
    options.simple = true;
    return options;
  }

 private:
  struct Job {
    int64_t at, user, processors, asked, ran;
  };
  std::vector<Job> jobs_;
};

void ExpectNoSimpleOneIsBetter(const TraceForecastReport& report) {
  ASSERT_TRUE(report.last_two && report.recent);
  for (const PredictorErrors& simple : {*report.last_two, *report.recent}) {
    EXPECT_LE(report.expected.mean_minutes, simple.mean_minutes);
    EXPECT_LE(report.expected.median_minutes, simple.median_minutes);
  }
  EXPECT_EQ(report.broken, 0u);
}

constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 24 * kHour;

// Four weeks of five users whose jobs take a third of what they ask for, more or less.
void AddEverydayJobs(int64_t processors, int64_t days, Random& random, MadeLog& log) {
  for (int64_t at = 0; at < days * kDay; at += random.Between(10 * 60, 70 * 60)) {
    const int64_t user = random.Between(1, 5);
    const int64_t asked = kHour * (1 + user);
    log.Add(at, user, random.Between(1, processors / 4), asked,
            std::min(asked, random.Between(asked / 6, asked / 2)));
  }
}

// One user fills the machine with jobs that ask for three days and run for hours. 13 hours later
// the same user sends hundreds of the same shape that take minutes.
TEST(TraceForecast, OneGreatBurstIsForecastNoWorseThanBySimpleMeans) {
  MadeLog log;
  Random random(7);
  AddEverydayJobs(60, 28, random, log);
  const int64_t burst = 22 * kDay;
  for (int64_t i = 0; i < 60; ++i) log.Add(burst + i, 9, 1, 3 * kDay, 16 * kHour + i * 60);
  for (int64_t i = 0; i < 200; ++i) {
    log.Add(burst + 13 * kHour + i * 10, 9, 1, 3 * kDay, random.Between(6, 1200));
  }
  TraceForecastOptions options = log.Write("burst", 60);
  options.every = 4;
  const auto report = ForecastTrace(options);
  ASSERT_TRUE(report.ok()) << report.status();
  ExpectNoSimpleOneIsBetter(*report);
  EXPECT_GT(report->work_ratio, 0.5);
  EXPECT_LT(report->work_ratio, 2) << "those that run are not 60 outcomes";
}

// Everybody's jobs are short in one week and long in the next.
TEST(TraceForecast, ARegimeThatChangesEachWeekIsForecastNoWorseThanBySimpleMeans) {
  MadeLog log;
  Random random(11);
  for (int64_t at = 0; at < 56 * kDay; at += random.Between(5 * 60, 55 * 60)) {
    const int64_t user = random.Between(1, 6);
    const bool longer = at / (7 * kDay) % 2 == 1;
    const int64_t asked = 8 * kHour;
    const int64_t usual = longer ? 4 * kHour : kHour / 4;
    log.Add(at, user, random.Between(1, 8), asked, usual + random.Between(0, usual / 2));
  }
  const auto report = ForecastTrace(log.Write("regime", 48));
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_GT(report->judged, 300u);
  ExpectNoSimpleOneIsBetter(*report);
}

TEST(TraceForecast, ARestartInMidLogChangesHardlyAnyFigure) {
  MadeLog log;
  Random random(13);
  AddEverydayJobs(40, 60, random, log);
  TraceForecastOptions options = log.Write("restart", 16);
  const auto through = ForecastTrace(options);
  options.restart_at = 800;
  const auto again = ForecastTrace(options);
  ASSERT_TRUE(through.ok() && again.ok());
  ASSERT_GT(through->judged, 300u);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 0.01 * b; };
  EXPECT_TRUE(near(again->expected.mean_minutes, through->expected.mean_minutes));
  EXPECT_TRUE(near(again->expected.median_minutes, through->expected.median_minutes));
  EXPECT_TRUE(near(again->width_over_wait, through->width_over_wait));
  EXPECT_TRUE(near(again->bits_at_submission, through->bits_at_submission));
}

// The same log through the daemons' cores and their estimator, each job asking as its user would.
TEST(TraceForecast, DaemonsForecastAsTheExperimentDoes) {
  MadeLog log;
  Random random(17);
  AddEverydayJobs(40, 60, random, log);
  TraceForecastOptions options = log.Write("daemons", 16);
  options.simple = false;
  const auto experiment = ForecastTrace(options);
  const auto daemons = RunReplay({.name = "daemons",
                                  .trace = options.trace,
                                  .sites = {"one=flat:16"},
                                  .forecasts = 1,
                                  .ideal = true},
                                 nullptr);
  ASSERT_TRUE(experiment.ok() && daemons.ok());
  const ForecastFigures& by_daemons = daemons->figures.all.forecast;
  ASSERT_GT(experiment->judged, 200u);
  EXPECT_EQ(by_daemons.count, experiment->judged) << "the same jobs waited";
  // Draws differ, since requests have other numbers.
  const auto near = [](double a, double b) { return std::abs(a - b) <= 0.05 * b; };
  EXPECT_TRUE(near(by_daemons.mean / 60, experiment->expected.mean_minutes))
      << by_daemons.mean / 60 << " against " << experiment->expected.mean_minutes;
  EXPECT_TRUE(near(daemons->figures.all.interval.width_over_wait, experiment->width_over_wait))
      << daemons->figures.all.interval.width_over_wait << " against "
      << experiment->width_over_wait;
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
