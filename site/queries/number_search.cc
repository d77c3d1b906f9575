// Later searches use the verdicts of earlier ones.
#include "site/queries/number_search.h"

#include "base/check.h"

namespace muster::site {

std::vector<int64_t> ValuesBelow(int64_t asked, int64_t least, std::span<const int64_t> steps) {
  std::vector<int64_t> out;
  if (asked <= least) return out;
  int64_t step = steps.back();
  for (const int64_t one : steps) {
    if ((asked - 1) / one < static_cast<int64_t>(kNumberValues)) {
      step = one;
      break;
    }
  }
  while ((asked - 1) / step >= static_cast<int64_t>(kNumberValues)) step *= 2;
  out.push_back(least);
  for (int64_t value = step; value < asked; value += step) {
    if (value > least) out.push_back(value);
  }
  if (out.size() > kNumberValues) out.pop_back();
  return out;
}

NumberSearch::NumberSearch(std::vector<int64_t> values, StartWith start_with)
    : values_(std::move(values)), start_with_(std::move(start_with)) {
  MUSTER_CHECK(values_.size() <= kNumberValues);
}

std::optional<Instant> NumberSearch::StartAt(size_t place) {
  const auto it = known_.find(place);
  if (it != known_.end()) return it->second;
  return known_.emplace(place, start_with_(values_[place])).first->second;
}

std::optional<NumberSearch::Found> NumberSearch::Largest(Instant latest) {
  const auto early = [latest](std::optional<Instant> start) { return start && *start <= latest; };
  if (values_.empty() || !early(StartAt(0))) return std::nullopt;
  size_t first_late = values_.size();
  for (const auto& [place, start] : known_) {
    if (!early(start)) {
      first_late = place;
      break;
    }
  }
  size_t last_early = 0;
  for (const auto& [place, start] : known_) {
    if (place < first_late) last_early = place;
  }
  while (last_early + 1 < first_late) {
    const size_t middle = last_early + (first_late - last_early) / 2;
    (early(StartAt(middle)) ? last_early : first_late) = middle;
  }
  return Found{values_[last_early], *StartAt(last_early)};
}

}  // namespace muster::site
