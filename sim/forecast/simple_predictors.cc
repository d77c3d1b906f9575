// A user is known by name, like requests by their whole shape.
#include "sim/forecast/simple_predictors.h"

#include <algorithm>
#include <vector>

namespace muster::sim {

void RecentRuns::Learn(const forecast::Shape& shape, Span ran) {
  for (std::deque<Span>* runs : {&of_user_[shape.user], &of_shape_[shape]}) {
    runs->push_back(forecast::OutcomeOf(ran, shape.asked));
    if (runs->size() > kKept) runs->pop_front();
  }
}

Span RecentRuns::LastTwo(const forecast::Shape& shape, Span elapsed) const {
  const auto at = of_user_.find(shape.user);
  if (at == of_user_.end()) return shape.asked;
  const std::deque<Span>& runs = at->second;
  const Span before = runs.size() > 1 ? runs[runs.size() - 2] : runs.back();
  const Span mean{(runs.back().seconds + before.seconds) / 2};
  return mean <= elapsed ? shape.asked : std::min(mean, shape.asked);
}

Span RecentRuns::Drawn(const forecast::Shape& shape, Span elapsed, double u) const {
  const auto user = of_user_.find(shape.user);
  if (user == of_user_.end()) return shape.asked;
  const auto alike = of_shape_.find(shape);
  std::vector<Span> longer;
  for (const Span ran : alike == of_shape_.end() ? user->second : alike->second) {
    if (ran > elapsed) longer.push_back(ran);
  }
  if (longer.empty()) return shape.asked;
  return std::min(longer[static_cast<size_t>(u * static_cast<double>(longer.size()))], shape.asked);
}

}  // namespace muster::sim
