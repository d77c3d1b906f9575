// Each operation is one pass over a few dozen steps.
#include "meta/search/packing/stretch.h"

#include <algorithm>

namespace muster::packing {

size_t Stretch::Cut(Instant t) {
  if (t <= steps_.front().from) return 0;
  if (t >= end_) return steps_.size();
  const auto behind = std::upper_bound(steps_.begin(), steps_.end(), t,
                                       [](Instant at, const Step& step) { return at < step.from; });
  const auto index = static_cast<size_t>(behind - steps_.begin());
  if (steps_[index - 1].from == t) return index - 1;
  steps_.insert(behind, {t, steps_[index - 1].free});
  return index;
}

void Stretch::Take(Instant begin, Instant end, int64_t amount) {
  if (begin >= end || end <= steps_.front().from) return;
  const size_t first = Cut(begin);
  const size_t last = Cut(end);
  for (size_t i = first; i < last; ++i) steps_[i].free -= amount;
}

std::optional<Instant> Stretch::EarliestFit(int64_t amount, Span length, Instant from) const {
  Instant since = std::max(from, steps_.front().from);
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Instant until = i + 1 < steps_.size() ? steps_[i + 1].from : end_;
    if (until <= since) continue;
    if (steps_[i].free < amount) {
      since = until;
      if (since + length > end_) return std::nullopt;
    } else if (until - since >= length) {
      return since;
    }
  }
  return std::nullopt;
}

std::vector<Stretch::Run> Stretch::Runs(bool gaps) const {
  std::vector<Run> found;  // maximal runs of each amount
  std::vector<Step> open;  // runs still open: amounts ascending, each with its begin
  const auto fall = [&found, &open](int64_t free, Instant t) {
    Instant since = t;
    while (!open.empty() && open.back().free > free) {
      since = open.back().from;
      found.push_back({open.back().free, t - since});
      open.pop_back();
    }
    if (free > 0 && (open.empty() || open.back().free < free)) open.push_back({since, free});
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    int64_t free = steps_[i].free;
    if (!gaps && i > 0) {
      if (open.empty()) break;
      free = std::min(free, open.back().free);
    }
    fall(free, steps_[i].from);
  }
  fall(0, end_);
  std::sort(found.begin(), found.end(), [](const Run& a, const Run& b) {
    return a.amount != b.amount ? a.amount > b.amount : a.longest > b.longest;
  });
  std::vector<Run> out;  // from the largest amount down, only runs longer than all before
  for (const Run& run : found) {
    if (out.empty() || out.back().longest < run.longest) out.push_back(run);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace muster::packing
