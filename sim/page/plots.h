// What a page draws, as data: sections of plots, written as the document "muster.plots/1", whose
// shape docs/simulation.md describes. Figures are computed here; the page only draws them.
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

// A step function: y holds from its x to the next one, and the last y from there on.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // ascending in x
};

// Curves over one axis. The vertical axis is a percentage, from 0 to 100.
struct CurvePlot {
  std::string title;
  std::string x;  // names of the axes, with units
  std::string y;
  bool log_x = false;  // points with x below 1 are drawn at 1
  std::vector<Curve> curves;
};

// What one job has of one site, drawn as boxes over that site's processors.
struct ScheduledPart {
  int64_t job = 0;      // its number in the trace
  int64_t begin_s = 0;  // since the first submission of the replay
  int64_t end_s = 0;
  int64_t waited_s = 0;
  int64_t processors = 0;
  size_t group = 0;                               // place in SchedulePlot::groups
  std::vector<std::pair<int64_t, int64_t>> rows;  // processors from the first up to the second
};

// A Gantt chart of one site.
struct SchedulePlot {
  std::string title;
  int64_t processors = 1;
  int64_t view_begin_s = 0;  // what is shown at first
  int64_t view_end_s = 0;
  std::vector<std::string> groups;  // of jobs, one colour each
  std::vector<ScheduledPart> parts;
};

struct PlotSection {
  std::string title;
  std::string note;  // a sentence for the reader; may be empty
  std::vector<std::variant<CurvePlot, SchedulePlot>> plots;
};

struct PlotDocument {
  std::string title;
  std::string text;  // tables, as at the terminal
  std::vector<PlotSection> sections;
};

// One line. Coordinates of curves are rounded to thousandths of their unit.
std::string PlotsJson(const PlotDocument& document);

// Error: `json` is no document "muster.plots/1".
absl::Status CheckPlots(std::string_view json);

// Percentage of `values` at or below x, as a curve of at most some `points` points.
Curve Distribution(std::string name, std::vector<double> values, size_t points = 400);

}  // namespace muster::sim
