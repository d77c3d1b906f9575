// One fixed size, scaled by the page; numbers are rounded to a tenth of a pixel so that equal data
// give equal bytes.
#include "sim/replay/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace muster::sim {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 340;
constexpr double kLeft = 62;
constexpr double kRight = 14;
constexpr double kTop = 30;
constexpr double kBottom = 46;
constexpr double kLegendRow = 16;
constexpr size_t kColours = 8;  // of the page

std::string Number(double value) {
  if (value >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:g}k", value / 1e3);
  return fmt::format("{:g}", value);
}

// Round steps that cut `span` into about five.
double StepOf(double span) {
  if (span <= 0) return 1;
  const double raw = span / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

class Axes {
 public:
  Axes(double x_least, double x_most, double y_most, bool log_x)
      : x_least_(x_least), x_most_(x_most), y_most_(y_most), log_x_(log_x) {}

  double X(double x) const {
    const double share = (Of(x) - Of(x_least_)) / std::max(Of(x_most_) - Of(x_least_), 1e-9);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  double Y(double y) const { return kHeight - kBottom - y / y_most_ * (kHeight - kTop - kBottom); }

  std::string Draw(const Plot& plot) const {
    std::string out;
    for (const double x : Ticks()) {
      out += fmt::format(
          "<line class='grid' x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}'/>"
          "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>\n",
          X(x), kTop, kHeight - kBottom, kHeight - kBottom + 15, Number(x));
    }
    const double step = StepOf(y_most_);
    for (double y = 0; y <= y_most_ * 1.0001; y += step) {
      out += fmt::format(
          "<line class='grid' x1='{1}' x2='{2}' y1='{0:.1f}' y2='{0:.1f}'/>"
          "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5}</text>\n",
          Y(y), kLeft, kWidth - kRight, kLeft - 6, Y(y) + 4, Number(y));
    }
    out += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n",
                       (kLeft + kWidth - kRight) / 2, kHeight - 10, EscapeHtml(plot.x));
    out += fmt::format(
        "<text transform='translate(14 {}) rotate(-90)' text-anchor='middle'>{}</text>\n",
        (kTop + kHeight - kBottom) / 2, EscapeHtml(plot.y));
    return out;
  }

 private:
  double Of(double x) const { return log_x_ ? std::log10(std::max(x, 1.0)) : x; }

  std::vector<double> Ticks() const {
    std::vector<double> out;
    if (log_x_) {
      for (double x = 1; x <= x_most_ * 1.0001; x *= 10) {
        if (x >= x_least_) out.push_back(x);
      }
      return out;
    }
    const double step = StepOf(x_most_ - x_least_);
    for (double x = std::ceil(x_least_ / step) * step; x <= x_most_ + step / 1000; x += step) {
      out.push_back(x);
    }
    return out;
  }

  double x_least_, x_most_, y_most_;
  bool log_x_;
};

std::string Path(const Curve& curve, const Axes& axes) {
  std::string out;
  for (const auto& [x, y] : curve.points) {
    if (out.empty()) {
      out = fmt::format("M{:.1f} {:.1f}", axes.X(x), axes.Y(y));
    } else if (curve.steps) {
      out += fmt::format("H{:.1f}V{:.1f}", axes.X(x), axes.Y(y));
    } else {
      out += fmt::format("L{:.1f} {:.1f}", axes.X(x), axes.Y(y));
    }
  }
  return out;
}

std::string Open(const std::string& title, double height) {
  return fmt::format(
      "<svg viewBox='0 0 {} {:.0f}' role='img' aria-label='{}'>\n"
      "<text class='title' x='{}' y='18'>{}</text>\n",
      kWidth, height, EscapeHtml(title), kLeft, EscapeHtml(title));
}

}  // namespace

std::string ToSvg(const Plot& plot) {
  double x_least = plot.log_x ? 1 : INFINITY;
  double x_most = plot.log_x ? 10 : -INFINITY;
  double y_most = plot.y_most;
  for (const Curve& curve : plot.curves) {
    for (const auto& [x, y] : curve.points) {
      if (!plot.log_x) x_least = std::min(x_least, x);
      x_most = std::max(x_most, x);
      if (plot.y_most <= 0) y_most = std::max(y_most, y);
    }
  }
  if (!(x_most > x_least)) {
    x_least = 0;
    x_most = 1;
  }
  const Axes axes(x_least, x_most, y_most > 0 ? y_most : 1, plot.log_x);
  const double rows = std::ceil(static_cast<double>(plot.curves.size()) / 2);
  std::string out = Open(plot.title, kHeight + rows * kLegendRow) + axes.Draw(plot);
  for (size_t i = 0; i < plot.curves.size(); ++i) {
    const Curve& curve = plot.curves[i];
    out += fmt::format("<path class='curve c{}' d='{}'/>\n", i % kColours, Path(curve, axes));
    const double x = i % 2 == 0 ? kLeft : (kLeft + kWidth) / 2;
    const double y = kHeight + static_cast<double>(i / 2) * kLegendRow + 6;
    out += fmt::format(
        "<line class='curve c{}' x1='{}' x2='{}' y1='{}' y2='{}'/>"
        "<text x='{}' y='{}'>{}</text>\n",
        i % kColours, x, x + 18, y, y, x + 24, y + 4, EscapeHtml(curve.name));
  }
  return out + "</svg>\n";
}

std::string ToSvg(const GanttChart& chart) {
  const Plot frame{.title = chart.title, .x = "hours", .y = "processors"};
  const Axes axes(chart.begin, chart.end, chart.lanes, false);
  std::string out = Open(chart.title, kHeight) + axes.Draw(frame);
  for (const GanttBox& box : chart.boxes) {
    const double begin = axes.X(std::max(box.begin, chart.begin));
    const double end = axes.X(std::min(box.end, chart.end));
    const double top = axes.Y(box.high);
    out += fmt::format(
        "<rect class='box f{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'>"
        "<title>{}</title></rect>\n",
        box.colour % kColours, begin, top, std::max(end - begin, 0.3),
        std::max(axes.Y(box.low) - top, 0.3), EscapeHtml(box.title));
  }
  return out + "</svg>\n";
}

Curve Distribution(std::string name, std::vector<double> values, size_t points) {
  Curve out{.name = std::move(name)};
  std::sort(values.begin(), values.end());
  const size_t stride = std::max<size_t>(1, values.size() / std::max<size_t>(points, 1));
  for (size_t i = 0; i < values.size(); i += stride) {
    // A point stands for all that are equal to it.
    const auto upto = std::upper_bound(values.begin(), values.end(), values[i]) - values.begin();
    const double share = 100 * static_cast<double>(upto) / static_cast<double>(values.size());
    if (!out.points.empty() && out.points.back().first == values[i]) continue;
    out.points.push_back({values[i], share});
  }
  if (!values.empty() && out.points.back().second < 100) out.points.push_back({values.back(), 100});
  return out;
}

std::string EscapeHtml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace muster::sim
