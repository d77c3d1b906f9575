// One line per value.
#include "policy/settings/rules_of.h"

#include <optional>

namespace muster::policy {

PointsRules PointsRulesOf(const config::PriorityConfig& config) {
  PointsRules rules{.tick = config.tick,
                    .queue_full = config.queue_full,
                    .x_full = config.x_full,
                    .credentials = config.points};
  for (const auto& [name, weight] : config.weights) {
    // The configuration check admits only factors that there are.
    rules.weights[static_cast<size_t>(FactorOf(name).value())] = weight;
  }
  return rules;
}

FairshareRules FairshareRulesOf(const config::FairshareConfig& config) {
  FairshareRules rules{.window = config.window,
                       .depth = static_cast<int>(config.depth),
                       .decay = config.decay_thousandths,
                       .metric = config.metric == "used"      ? Metric::kUsed
                                 : config.metric == "charged" ? Metric::kCharged
                                                              : Metric::kDedicated,
                       .booked = int64_t{config.booked_percent} * 10,
                       .tree = config.tree};
  const auto thousandths = [](std::optional<int> percent) {
    return percent ? std::optional<int64_t>(int64_t{*percent} * 10) : std::nullopt;
  };
  for (const config::ShareConfig& share : config.shares) {
    rules.shares.push_back({.who = share.who,
                            .target = thousandths(share.target_percent),
                            .floor = thousandths(share.floor_percent),
                            .ceiling = thousandths(share.ceiling_percent),
                            .admission = share.admission,
                            .parent = share.parent});
  }
  return rules;
}

}  // namespace muster::policy
