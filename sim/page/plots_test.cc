// The document that a page draws, field by field: docs/simulation.md describes it.
#include "sim/page/plots.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace muster::sim {
namespace {

using Json = nlohmann::json;

TEST(Plots, ADistributionEndsAtAllOfItsValues) {
  const Curve curve = Distribution("d", {3, 1, 2, 2});
  ASSERT_EQ(curve.points.size(), 3u);
  EXPECT_EQ(curve.points[0], std::pair(1.0, 25.0));
  EXPECT_EQ(curve.points[1], std::pair(2.0, 75.0));
  EXPECT_EQ(curve.points[2], std::pair(3.0, 100.0));
}

TEST(Plots, ADistributionOfManyValuesHasFewPointsAndStillEndsAtTheLargest) {
  std::vector<double> values;
  for (int i = 1; i <= 10007; ++i) values.push_back(i);
  const Curve curve = Distribution("d", values, 100);
  EXPECT_LE(curve.points.size(), 110u);
  EXPECT_EQ(curve.points.back(), std::pair(10007.0, 100.0));
}

TEST(Plots, CurvesAreColumnsOfRoundedNumbers) {
  const CurvePlot plot{.title = "Wait",
                       .x = "minutes",
                       .y = "% of jobs",
                       .log_x = true,
                       .curves = {{.name = "one", .points = {{1, 33.33333}, {2.00049, 100}}}}};
  const PlotDocument document{
      .title = "t", .text = "A  B", .sections = {{.title = "s", .note = "n", .plots = {plot}}}};
  EXPECT_EQ(Json::parse(PlotsJson(document)), Json::parse(R"({
    "schema": "muster.plots/1", "title": "t", "text": "A  B",
    "sections": [{"title": "s", "note": "n", "plots": [
      {"kind": "curves", "title": "Wait", "x": "minutes", "y": "% of jobs", "log_x": true,
       "curves": [{"name": "one", "x": [1.0, 2.0], "y": [33.333, 100.0]}]}]}]})"));
}

TEST(Plots, APartOfAScheduleHasABoxForEachRunOfItsRows) {
  const SchedulePlot plot{.title = "lakes",
                          .processors = 8,
                          .view_begin_s = -60,
                          .view_end_s = 86340,
                          .groups = {"home lakes", "co-allocated"},
                          .parts = {{.job = 17,
                                     .begin_s = 5,
                                     .end_s = 65,
                                     .waited_s = 4,
                                     .processors = 3,
                                     .group = 1,
                                     .rows = {{0, 2}, {7, 8}}}}};
  const PlotDocument document{.sections = {{.plots = {plot}}}};
  EXPECT_EQ(Json::parse(PlotsJson(document))["sections"][0]["plots"][0], Json::parse(R"({
    "kind": "schedule", "title": "lakes", "processors": 8, "view_s": [-60, 86340],
    "groups": ["home lakes", "co-allocated"],
    "parts": {"job": [17], "begin_s": [5], "end_s": [65], "waited_s": [4], "processors": [3],
              "group": [1]},
    "boxes": {"part": [0, 0], "low": [0, 7], "high": [2, 8]}})"));
}

TEST(Plots, OnlyADocumentOfThisSchemaIsDrawn) {
  EXPECT_TRUE(CheckPlots(PlotsJson({.title = "t"})).ok());
  for (const char* other :
       {"", "{", "[]", "{}", R"({"schema": "muster.replay/1"})", R"({"schema": 1})"}) {
    EXPECT_EQ(CheckPlots(other).code(), absl::StatusCode::kInvalidArgument) << other;
  }
}

}  // namespace
}  // namespace muster::sim
