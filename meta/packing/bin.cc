// A forward walk over the steps, from where the last search for the same shape ended.
#include "meta/packing/bin.h"

#include <algorithm>

namespace muster::packing {

Bin::Bin(std::string name, const partitioner::Shadow& shadow, Instant now, Span turnover)
    : name_(std::move(name)), turnover_(turnover), names_(shadow.resources()) {
  for (partitioner::Shadow::FreeStep& step : shadow.FreeFrom(now)) {
    steps_.push_back({step.from, std::move(step.free)});
  }
}

Bin::Bin(std::string name, const ResourceSet& total, Instant now) : name_(std::move(name)) {
  Step step{now, {}};
  for (const auto& [resource, amount] : total.entries()) {
    names_.push_back(resource);
    step.free.push_back(amount);
  }
  steps_.push_back(std::move(step));
}

std::optional<Bin::Amounts> Bin::Indexed(const ResourceSet& set) const {
  Amounts out(names_.size(), 0);
  for (const auto& [name, amount] : set.entries()) {
    const auto it = std::lower_bound(names_.begin(), names_.end(), name);
    if (it == names_.end() || *it != name) return std::nullopt;
    out[static_cast<size_t>(it - names_.begin())] = amount;
  }
  return out;
}

// The step that holds at t. REQUIRES: t is not before the first one.
size_t Bin::StepAt(Instant t) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), t,
                                      [](Instant at, const Step& step) { return at < step.from; });
  return static_cast<size_t>(after - steps_.begin()) - 1;
}

std::optional<Instant> Bin::EarliestFit(const ResourceSet& amounts, Instant from,
                                        Span length) const {
  std::optional<Amounts> need = Indexed(amounts);
  if (steps_.empty() || !need) return std::nullopt;
  const Span whole = turnover_ + length;
  const Instant asked = std::max(from - turnover_, steps_.front().from);
  std::pair<Amounts, Span> shape(*std::move(need), length);
  const auto known = searched_.find(shape);
  const bool resumes =
      known != searched_.end() && asked >= known->second.from && asked <= known->second.found;
  const Instant begin = resumes ? known->second.found : asked;
  Instant since = kFarFuture;  // nothing free yet
  for (size_t i = StepAt(begin); i < steps_.size(); ++i) {
    bool fits = true;
    for (size_t r = 0; r < names_.size() && fits; ++r) {
      fits = steps_[i].free[r] >= shape.first[r];
    }
    if (!fits) {
      since = kFarFuture;
      continue;
    }
    if (since == kFarFuture) since = std::max(steps_[i].from, begin);
    const Instant end = i + 1 < steps_.size() ? steps_[i + 1].from : kFarFuture;
    if (end >= kFarFuture || end - since >= whole) {
      const Instant first = resumes ? known->second.from : asked;
      searched_.insert_or_assign(std::move(shape), Searched{first, since});
      return since + turnover_;
    }
  }
  return std::nullopt;
}

size_t Bin::Split(Instant at) {
  const size_t i = StepAt(at);
  if (steps_[i].from == at) return i;
  Step later{at, steps_[i].free};
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(later));
  return i + 1;
}

void Bin::Take(const ResourceSet& amounts, Instant start, Span length) {
  const std::optional<Amounts> taken = Indexed(amounts);
  if (steps_.empty() || !taken) return;
  const Instant begin = std::max(start - turnover_, steps_.front().from);
  const Instant end = start + length;
  if (begin >= end) return;
  const size_t first = Split(begin);
  const size_t last = Split(end);
  for (size_t i = first; i < last; ++i) {
    for (size_t r = 0; r < names_.size(); ++r) steps_[i].free[r] -= (*taken)[r];
  }
}

}  // namespace muster::packing
