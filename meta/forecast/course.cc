// The older a figure is, the further apart are those that are kept.
#include "meta/forecast/course.h"

#include <algorithm>

namespace muster::meta {

void Course::Tell(Instant now, const schemas::Expected& figure) {
  while (!figures_.empty() && figures_.back().from >= now) figures_.pop_back();
  if (!figures_.empty() && figures_.back().figure == figure) return;
  figures_.push_back({now, figure});
  // Drops a figure if those beside it are close together for their age.
  for (size_t i = 1; i + 1 < figures_.size();) {
    const Span gap = figures_[i + 1].from - figures_[i - 1].from;
    const Span age = now - figures_[i + 1].from;
    if (static_cast<double>(gap.seconds) <= kResolution * static_cast<double>(age.seconds)) {
      figures_.erase(figures_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

std::optional<schemas::Expected> Course::StoodAt(Instant at) const {
  const auto after =
      std::upper_bound(figures_.begin(), figures_.end(), at,
                       [](Instant value, const Figure& figure) { return value < figure.from; });
  if (after == figures_.begin()) return std::nullopt;
  return std::prev(after)->figure;
}

}  // namespace muster::meta
