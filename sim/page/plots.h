// The data that a page draws: sections of plots, written as a "muster.plots/1" document, whose form
// docs/simulation.md describes. All figures are computed here; the page only draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

namespace muster::sim {

// A step function: each y holds from its x to the next x, the last y for ever.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // ascending in x
};

// Curves with a common x axis. The y axis is a percentage, from 0 to 100.
struct CurvePlot {
  std::string title;
  std::string x;  // axis labels with units
  std::string y;
  bool log_x = false;  // points with x below 1 are drawn at 1
  std::vector<Curve> curves;
};

// The processors of one job at one site, drawn as boxes in the site's chart.
struct ScheduledPart {
  int64_t job = 0;      // its number in the trace
  int64_t begin_s = 0;  // since the first submission of the replay
  int64_t end_s = 0;
  int64_t waited_s = 0;
  int64_t processors = 0;
  size_t group = 0;                               // index into SchedulePlot::groups
  std::vector<std::pair<int64_t, int64_t>> rows;  // ranges of processors [first, second)
};

// A Gantt chart of one site.
struct SchedulePlot {
  std::string title;
  int64_t processors = 1;
  int64_t view_begin_s = 0;  // initially visible range
  int64_t view_end_s = 0;
  std::vector<std::string> groups;  // groups of jobs, one colour each
  std::vector<ScheduledPart> parts;
};

struct PlotSection {
  std::string title;
  std::string note;  // a sentence for the reader; may be empty
  std::vector<std::variant<CurvePlot, SchedulePlot>> plots;
};

struct PlotDocument {
  std::string title;
  std::string text;  // the tables that the terminal shows
  std::vector<PlotSection> sections;
};

// The document as JSON in one line. Coordinates of curves are rounded to thousandths of their unit.
std::string PlotsJson(const PlotDocument& document);

// Error: `json` is not a "muster.plots/1" document.
absl::Status CheckPlots(std::string_view json);

// Cumulative distribution: the percentage of `values` at or below x. The curve has at most 2 *
// `points` points.
Curve Distribution(std::string name, std::vector<double> values, size_t points = 400);

}  // namespace muster::sim
