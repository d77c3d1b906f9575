// Plots as inline SVG, drawn by hand: curves over axes, and the rows of a Gantt chart. Colours come
// from the page (classes c0, c1, ...), so that it can be light or dark.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // ascending in x
  bool steps = false;                             // y holds until the next x
};

struct Plot {
  std::string title;
  std::string x;  // names of the axes, with units
  std::string y;
  bool log_x = false;  // points with x below 1 are drawn at 1
  double y_most = 0;   // 0: of the points
  std::vector<Curve> curves;
};

std::string ToSvg(const Plot& plot);

// A box of a Gantt chart: from begin to end, over `high` of the lanes from `low` on.
struct GanttBox {
  double begin = 0;
  double end = 0;
  double low = 0;
  double high = 0;
  size_t colour = 0;
  std::string title;  // shown when pointed at
};
struct GanttChart {
  std::string title;
  double begin = 0;  // of the axis, hours
  double end = 0;
  double lanes = 1;
  std::vector<GanttBox> boxes;
};

std::string ToSvg(const GanttChart& chart);

// Share of `values` at or below x, as a curve of at most `points` points.
Curve Distribution(std::string name, std::vector<double> values, size_t points = 400);

std::string EscapeHtml(const std::string& text);

}  // namespace muster::sim
