// Formats existing figures only.
#include "sim/replay/speed_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/replay/replay_files.h"

namespace muster::sim {
namespace {

std::string PercentText(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "+22.3 %"; "" if the run names none, or one without figures.
std::string GainText(const ReplayRun& run, const std::vector<ReplayRun>& runs) {
  if (run.settings.against.empty()) return "";
  const auto base = std::find_if(runs.begin(), runs.end(), [&](const ReplayRun& one) {
    return one.settings.name == run.settings.against;
  });
  if (base == runs.end() || !base->speeds || base->speeds->throughput <= 0) return "";
  return fmt::format("{:+.1f} %", 100 * (run.speeds->throughput / base->speeds->throughput - 1));
}

}  // namespace

std::vector<std::vector<std::string>> SpeedRows(const std::vector<ReplayRun>& runs) {
  std::vector<std::vector<std::string>> out = {{"RUN", "BALANCED", "ASK FOR", "THROUGHPUT", "GAIN",
                                                "= HELD", "x EFFICIENCY", "RESPONSE mean",
                                                "OF BALANCED", "ITS SLOWDOWN", "MAKESPAN"}};
  for (const ReplayRun& run : runs) {
    if (!run.speeds) continue;
    const SpeedFigures& f = *run.speeds;
    const RunSettings& s = run.settings;
    out.push_back({s.name, fmt::format("{:.0f} %", static_cast<double>(s.balanced) / 10),
                   s.set.empty() ? s.placing : s.set, PercentText(f.throughput),
                   GainText(run, runs), PercentText(f.held), PercentText(f.efficiency),
                   WaitText(f.response), WaitText(f.response_balanced),
                   fmt::format("{:.1f}", f.slowdown),
                   fmt::format("{:.1f} h", run.figures.makespan / 3600)});
  }
  return out;
}

nlohmann::ordered_json SpeedJson(const ReplayRun& run) {
  if (!run.speeds) return nullptr;
  const SpeedFigures& f = *run.speeds;
  const RunSettings& s = run.settings;
  return {{"balanced_ratio", static_cast<double>(s.balanced) / 1000},
          {"set", s.set},
          {"placing", s.placing},
          {"without_set", run.workload.counts.without_set},
          {"capacity", f.capacity},
          {"throughput_ratio", f.throughput},
          {"held_ratio", f.held},
          {"efficiency_ratio", f.efficiency},
          {"window_s", f.window},
          {"response_mean_s", f.response},
          {"response_balanced_mean_s", f.response_balanced},
          {"response_pooled_mean_s", f.response_pooled},
          {"response_slowdown", f.slowdown}};
}

}  // namespace muster::sim
