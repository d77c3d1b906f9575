// See delay.h.
#include "sim/whatif/delay.h"

namespace muster::sim {

const schemas::Cause* CauseOfDelay(const std::vector<schemas::FigureChange>& history) {
  if (history.empty()) return nullptr;
  const schemas::FigureChange* newest = &history.back();
  for (size_t i = history.size() - 1; i > 0; --i) {
    const auto& before = history[i - 1].figures.starts_by;
    const auto& after = history[i].figures.starts_by;
    if (!before || (after && after->at <= before->at) || !history[i].cause) continue;
    newest = &history[i];
    break;
  }
  return newest->cause ? &*newest->cause : nullptr;
}

}  // namespace muster::sim
