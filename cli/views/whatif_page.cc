// Only jobs that move are rows, so only these are drawn.
#include "cli/views/whatif_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

// How many percent of the values are at or below each.
Json Distribution(const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Json x = Json::array();
  Json y = Json::array();
  for (size_t i = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    x.push_back(values[i]);
    y.push_back(100.0 * static_cast<double>(i + 1) / static_cast<double>(values.size()));
  }
  return {{"name", name}, {"x", std::move(x)}, {"y", std::move(y)}};
}

Json Plot(const std::string& title, const std::string& x, bool log_x, Json curves) {
  return {{"kind", "curves"}, {"title", title}, {"x", x},
          {"y", "% of jobs"}, {"log_x", log_x}, {"curves", std::move(curves)}};
}

// Curves without a value cannot be drawn.
Json Drawn(std::vector<std::pair<std::string, std::vector<double>>> all) {
  Json out = Json::array();
  for (auto& [name, values] : all) {
    if (!values.empty()) out.push_back(Distribution(name, std::move(values)));
  }
  return out;
}

}  // namespace

Json WhatIfPlots(const Json& document, const ViewOptions& options) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> earlier;
  std::vector<double> later;
  const auto asked = TimeAt(document, "as_of").value_or(options.now);
  for (const Json& row : At(At(document, "run"), "rows")) {
    const auto was = TimeAt(row, "before");
    const auto is = TimeAt(row, "after");
    if (was) before.push_back(static_cast<double>((*was - asked).seconds) / kHour);
    if (is) after.push_back(static_cast<double>((*is - asked).seconds) / kHour);
    if (!was || !is) continue;
    const double minutes = static_cast<double>((*is - *was).seconds) / kMinute;
    if (minutes < 0) earlier.push_back(-minutes);
    if (minutes > 0) later.push_back(minutes);
  }
  Json plots = Json::array();
  const Json starts = Drawn({{"as it is", before}, {"changed", after}});
  if (!starts.empty()) plots.push_back(Plot("When they start", "hours from now", false, starts));
  const Json moves = Drawn({{"earlier", earlier}, {"later", later}});
  if (!moves.empty()) plots.push_back(Plot("How far they move", "minutes", true, moves));
  Json sections = Json::array();
  if (!plots.empty()) {
    sections.push_back({{"title", "Jobs whose starts move"},
                        {"note", "What is promised as it is, and as it would be."},
                        {"plots", std::move(plots)}});
  }
  return {{"schema", "muster.plots/1"},
          {"title", "What if: " + TextAt(document, "command")},
          {"text", WhatIfView(document, options)},
          {"sections", std::move(sections)}};
}

}  // namespace muster::cli::views
