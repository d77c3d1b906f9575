// Steps that change nothing are not kept.
#include "meta/forecast/model/terrain_log.h"

#include <algorithm>
#include <cstddef>

namespace muster::forecast {

void TerrainLog::Take(Instant now, const std::vector<Backfilling::Step>& steps) {
  while (!steps_.empty() && steps_.back().from >= now) steps_.pop_back();
  if (!steps_.empty() && steps_.back().free.size() != steps.front().free.size()) steps_.clear();
  for (size_t i = 0; i < steps.size(); ++i) {
    // Of the steps that have begun the last one holds.
    if (i + 1 < steps.size() && steps[i + 1].from <= now) continue;
    if (!steps_.empty() && steps_.back().free == steps[i].free) continue;
    steps_.push_back({std::max(now, steps[i].from), steps[i].free});
  }
  if (steps_.size() <= kMostSteps) return;
  steps_.erase(steps_.begin(), steps_.end() - static_cast<std::ptrdiff_t>(kMostSteps));
}

void TerrainLog::ForgetBefore(Instant at) {
  const auto after = std::upper_bound(
      steps_.begin(), steps_.end(), at,
      [](Instant value, const Backfilling::Step& step) { return value < step.from; });
  if (after == steps_.begin()) return;
  steps_.erase(steps_.begin(), after - 1);
}

}  // namespace muster::forecast
