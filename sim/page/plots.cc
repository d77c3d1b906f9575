// Lists of numbers are written column by column, which takes a third of the space of one object per
// point.
#include "sim/page/plots.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace muster::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "muster.plots/1";

double Rounded(double value) { return std::round(value * 1000) / 1000; }

Json ToJson(const CurvePlot& plot) {
  Json curves = Json::array();
  for (const Curve& curve : plot.curves) {
    Json x = Json::array();
    Json y = Json::array();
    for (const auto& [at, value] : curve.points) {
      x.push_back(Rounded(at));
      y.push_back(Rounded(value));
    }
    curves.push_back({{"name", curve.name}, {"x", std::move(x)}, {"y", std::move(y)}});
  }
  return {{"kind", "curves"}, {"title", plot.title}, {"x", plot.x},
          {"y", plot.y},      {"log_x", plot.log_x}, {"curves", std::move(curves)}};
}

Json ToJson(const SchedulePlot& plot) {
  const auto column = [&plot](auto field) {
    Json out = Json::array();
    for (const ScheduledPart& part : plot.parts) out.push_back(part.*field);
    return out;
  };
  Json part = Json::array();
  Json low = Json::array();
  Json high = Json::array();
  for (size_t i = 0; i < plot.parts.size(); ++i) {
    for (const auto& [from, to] : plot.parts[i].rows) {
      part.push_back(i);
      low.push_back(from);
      high.push_back(to);
    }
  }
  return {
      {"kind", "schedule"},
      {"title", plot.title},
      {"processors", plot.processors},
      {"view_s", {plot.view_begin_s, plot.view_end_s}},
      {"groups", plot.groups},
      {"parts",
       {{"job", column(&ScheduledPart::job)},
        {"begin_s", column(&ScheduledPart::begin_s)},
        {"end_s", column(&ScheduledPart::end_s)},
        {"waited_s", column(&ScheduledPart::waited_s)},
        {"processors", column(&ScheduledPart::processors)},
        {"group", column(&ScheduledPart::group)}}},
      {"boxes", {{"part", std::move(part)}, {"low", std::move(low)}, {"high", std::move(high)}}}};
}

}  // namespace

std::string PlotsJson(const PlotDocument& document) {
  Json sections = Json::array();
  for (const PlotSection& section : document.sections) {
    Json plots = Json::array();
    for (const auto& plot : section.plots) {
      plots.push_back(std::visit([](const auto& some) { return ToJson(some); }, plot));
    }
    sections.push_back(
        {{"title", section.title}, {"note", section.note}, {"plots", std::move(plots)}});
  }
  const Json out = {{"schema", kSchema},
                    {"title", document.title},
                    {"text", document.text},
                    {"sections", std::move(sections)}};
  return out.dump() + "\n";
}

absl::Status CheckPlots(std::string_view json) {
  const Json document = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (document.is_object() && document.value("schema", Json()) == kSchema) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(std::string("this is no document ") + kSchema);
}

Curve Distribution(std::string name, std::vector<double> values, size_t points) {
  Curve out{.name = std::move(name)};
  std::sort(values.begin(), values.end());
  const size_t stride = std::max<size_t>(1, values.size() / std::max<size_t>(points, 1));
  for (size_t i = 0; i < values.size(); i += stride) {
    // One point stands for all equal values.
    const auto upto = std::upper_bound(values.begin(), values.end(), values[i]) - values.begin();
    const double share = 100 * static_cast<double>(upto) / static_cast<double>(values.size());
    if (!out.points.empty() && out.points.back().first == values[i]) continue;
    out.points.push_back({values[i], share});
  }
  if (!values.empty() && out.points.back().second < 100) out.points.push_back({values.back(), 100});
  return out;
}

}  // namespace muster::sim
