// The plots of a replay and of a comparison show the figures of their reports.
#include "sim/replay/replay_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/replay/comparison_files.h"
#include "sim/replay/replay_files.h"

namespace muster::sim {
namespace {

using Json = nlohmann::json;

constexpr double kMinute = 60;
constexpr double kDaySeconds = 86400;
constexpr double kRounding = 0.001;  // of coordinates

std::vector<ReplayRun> Played(std::vector<std::string> sites, uint32_t co_allocated) {
  RunSettings settings{.name = "small", .sites = std::move(sites), .seed = 3};
  settings.model = Lublin{.jobs = 120, .processors = 32, .homes = 2};
  settings.co_allocated = co_allocated;
  absl::StatusOr<ReplayRun> run = RunReplay(settings, nullptr);
  EXPECT_TRUE(run.ok()) << Text(run.status());
  std::vector<ReplayRun> out;
  out.push_back(*std::move(run));
  return out;
}

Json PlotNamed(const std::vector<ReplayRun>& runs, const std::string& title) {
  const Json document = Json::parse(PlotsJson(ReplayPlots("title", runs)));
  EXPECT_EQ(document["text"], ReplayTable(runs));
  for (const Json& section : document["sections"]) {
    for (const Json& plot : section["plots"]) {
      if (plot["title"] == title) return plot;
    }
  }
  ADD_FAILURE() << "no plot " << title;
  return {};
}

// The least x at which a curve of the plot reaches y.
double Reaches(const Json& plot, double y) {
  const Json& curve = plot["curves"][0];
  size_t i = 0;
  while (curve["y"][i].get<double>() < y) ++i;
  return curve["x"][i].get<double>();
}

TEST(ReplayPlots, DistributionsOfWaitsSayWhatTheReportSays) {
  const auto runs = Played({"lakes=flat:32"}, 0);
  const GroupFigures& all = runs[0].figures.all;
  const Json waits = PlotNamed(runs, "Wait");
  ASSERT_GT(all.wait_p95, kMinute) << "a model whose jobs wait";
  EXPECT_NEAR(Reaches(waits, 95), all.wait_p95 / kMinute, kRounding);
  EXPECT_NEAR(Reaches(waits, 100), all.wait_most / kMinute, kRounding);
  EXPECT_EQ(waits["log_x"], true);
  const Json told = PlotNamed(runs, "Error of what was told at submission (starts by)");
  EXPECT_NEAR(Reaches(told, 100), all.at_submission.most / kMinute, kRounding);
}

TEST(ReplayPlots, UseOfASiteAddsUpToTheTimeThatItsJobsRan) {
  const auto runs = Played({"lakes=flat:64", "woods=flat:32"}, 200);
  const Json use = PlotNamed(runs, "small: processors in use");
  for (size_t site = 0; site < 2; ++site) {
    const std::string name = site == 0 ? "lakes" : "woods";
    const Json parts = PlotNamed(runs, "small: " + name)["parts"];
    double ran = 0;
    for (size_t i = 0; i < parts["job"].size(); ++i) {
      const double lasts = parts["end_s"][i].get<double>() - parts["begin_s"][i].get<double>();
      ran += lasts * parts["processors"][i].get<double>();
    }
    const Json& curve = use["curves"][site];
    EXPECT_EQ(curve["name"], name);
    double used = 0;
    for (size_t i = 0; i + 1 < curve["x"].size(); ++i) {
      const double days = curve["x"][i + 1].get<double>() - curve["x"][i].get<double>();
      used += days * kDaySeconds * curve["y"][i].get<double>() / 100;
    }
    used *= static_cast<double>(runs[0].sites[site].processors);
    EXPECT_NEAR(used / ran, 1, 0.001);
  }
}

TEST(ReplayPlots, TheScheduleHasEveryJobOfTheReport) {
  const auto runs = Played({"lakes=flat:64"}, 0);
  const GroupFigures& all = runs[0].figures.all;
  const Json parts = PlotNamed(runs, "small: lakes")["parts"];
  ASSERT_EQ(parts["job"].size(), all.started);
  double waited = 0;
  for (const Json& one : parts["waited_s"]) waited += one.get<double>();
  EXPECT_NEAR(waited / static_cast<double>(all.started), all.wait_mean, 1e-6);
}

TEST(ReplayPlots, BoxesOfAScheduleAreAsHighAsTheirJobsAndDoNotOverlap) {
  const auto runs = Played({"lakes=flat:64", "woods=flat:32"}, 200);
  const Json plot = PlotNamed(runs, "small: lakes");
  const Json& parts = plot["parts"];
  const Json& boxes = plot["boxes"];
  std::vector<int64_t> high_of(parts["job"].size());
  std::vector<int64_t> free_at(64, INT64_MIN);  // by row; boxes are in order of their begin
  for (size_t i = 0; i < boxes["part"].size(); ++i) {
    const size_t part = boxes["part"][i];
    for (size_t row = boxes["low"][i]; row < boxes["high"][i]; ++row) {
      EXPECT_GE(parts["begin_s"][part].get<int64_t>(), free_at.at(row));
      free_at[row] = parts["end_s"][part];
      ++high_of[part];
    }
  }
  for (size_t part = 0; part < high_of.size(); ++part) {
    EXPECT_EQ(high_of[part], parts["processors"][part]);
  }
  const auto groups = parts["group"].get<std::vector<size_t>>();
  const Json& names = plot["groups"];
  EXPECT_EQ(names[*std::max_element(groups.begin(), groups.end())], "co-allocated");
}

TEST(ReplayPlots, AReplayWithoutJobsHasNoPlots) {
  std::vector<ReplayRun> runs(1);
  for (const PlotSection& section : ReplayPlots("none", runs).sections) {
    EXPECT_TRUE(section.plots.empty()) << section.title;
  }
}

TEST(ComparisonPlots, ErrorsAreSharesOfAllRequests) {
  ErrorComparison one{.name = "lublin", .machine = "m", .packing = "fcfs*"};
  one.autonomous_classes = Classify({0, 1, 50, 51, 1000, 1001, 2000, 2000}, 1000);
  one.verified_classes = Classify({0, 0}, 1000);
  const Json document = Json::parse(PlotsJson(ComparisonPlots("title", {one})));
  EXPECT_EQ(document["text"], ComparisonTable({one}));
  ASSERT_EQ(document["sections"].size(), 1u);
  const Json& plot = document["sections"][0]["plots"][0];
  EXPECT_EQ(plot["title"], "lublin, m, fcfs*");
  const Json& autonomous = plot["curves"][0];
  EXPECT_EQ(autonomous["y"][0], 37.5) << "none, 1 and 50";
  EXPECT_EQ(autonomous["y"][1], 12.5);
  EXPECT_EQ(autonomous["x"][20], 100.0);
  EXPECT_EQ(autonomous["y"][20], 37.5) << "above the maximum";
  EXPECT_EQ(plot["curves"][1]["y"][0], 100.0);
}

}  // namespace
}  // namespace muster::sim
