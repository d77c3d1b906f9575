// A fit is searched resource by resource, until all resources agree on the start.
#include "meta/search/packing/bin.h"

#include <algorithm>

namespace muster::packing {

Bin::Bin(std::string name, const partitioner::Shadow& shadow, Instant now, Span turnover)
    : name_(std::move(name)),
      now_(now),
      turnover_(turnover),
      names_(shadow.resources()),
      total_(shadow.total()) {
  const std::vector<partitioner::Shadow::FreeStep> steps = shadow.FreeFrom(now);
  known_ = !steps.empty();
  for (size_t r = 0; r < names_.size(); ++r) {
    int64_t most = 0;
    for (const auto& step : steps) most = std::max(most, step.free[r]);
    rusv::RusvWithFrontier& used = used_.emplace_back(most);
    for (size_t i = 0; i < steps.size(); ++i) {
      const Instant end = i + 1 < steps.size() ? steps[i + 1].from : kFarFuture;
      used.Increment({steps[i].from, end, most - steps[i].free[r]});
    }
  }
}

Bin::Bin(std::string name, const ResourceSet& total, Instant now, Span turnover)
    : name_(std::move(name)), now_(now), turnover_(turnover) {
  for (const auto& [resource, amount] : total.entries()) {
    names_.push_back(resource);
    used_.emplace_back(std::max<int64_t>(amount, 0));
    total_.push_back(std::max<int64_t>(amount, 0));
  }
}

std::optional<Bin::Need> Bin::NeedOf(const ResourceSet& amounts) const {
  Need out;
  auto it = names_.begin();
  for (const auto& [name, amount] : amounts.entries()) {
    while (it != names_.end() && *it < name) ++it;
    if (it == names_.end() || *it != name) return std::nullopt;
    if (amount > 0) out.emplace_back(static_cast<size_t>(it - names_.begin()), amount);
  }
  return out;
}

std::optional<Instant> Bin::EarliestFit(const Need& need, Instant from, Span length) const {
  if (!known_) return std::nullopt;
  const Span whole = turnover_ + length;
  Instant t = std::max(from - turnover_, now_);
  for (size_t agreed = 0, r = 0; agreed < need.size(); r = (r + 1) % need.size()) {
    const auto& [resource, amount] = need[r];
    const Instant fit = used_[resource].EarliestFit(amount, whole, t);
    if (fit >= kFarFuture) return std::nullopt;
    agreed = fit == t ? agreed + 1 : 1;
    t = fit;
  }
  return t + turnover_;
}

bool Bin::Fits(const Need& need, Instant at, Span length) const {
  if (!known_ || at - turnover_ < now_) return false;
  return std::all_of(need.begin(), need.end(), [&](const auto& of) {
    return used_[of.first].rusv().FreeIn(at - turnover_, at + length) >= of.second;
  });
}

void Bin::Take(const Need& need, Instant start, Span length) {
  load_.reset();
  const Instant begin = std::max(start - turnover_, now_);
  for (const auto& [resource, amount] : need) {
    used_[resource].Increment({begin, start + length, amount});
  }
}

std::optional<Instant> Bin::EarliestFit(const ResourceSet& amounts, Instant from,
                                        Span length) const {
  const std::optional<Need> need = NeedOf(amounts);
  if (!need) return std::nullopt;
  return EarliestFit(*need, from, length);
}

void Bin::Take(const ResourceSet& amounts, Instant start, Span length) {
  if (const std::optional<Need> need = NeedOf(amounts)) Take(*need, start, length);
}

void Bin::Occupy(const ResourceSet& amounts, Instant begin, Instant end) {
  const std::optional<Need> need = NeedOf(amounts);
  if (!need) return;
  load_.reset();
  for (const auto& [resource, amount] : *need) used_[resource].Increment({begin, end, amount});
}

double Bin::Load() const {
  if (load_) return *load_;
  double most = 0;
  constexpr Span kLoadSpan = partitioner::Shadow::kLoadSpan;
  const Instant until = now_ + kLoadSpan;
  for (size_t r = 0; r < names_.size(); ++r) {
    if (total_[r] <= 0) continue;
    const rusv::Rusv& used = used_[r].rusv();
    const double whole = static_cast<double>(total_[r]) * static_cast<double>(kLoadSpan.seconds);
    double free = 0;
    for (Instant t = now_; t < until;) {
      const Instant next = std::min(used.NextEdge(t), until);
      free +=
          static_cast<double>(used.avl() - used.At(t)) * static_cast<double>((next - t).seconds);
      t = next;
    }
    most = std::max(most, (whole - free) / whole);
  }
  load_ = most;
  return most;
}

Stretch Bin::StretchOf(size_t resource, Instant begin, Instant end) const {
  const rusv::Rusv& used = used_[resource].rusv();
  std::vector<Stretch::Step> steps;
  for (Instant t = begin; t < end; t = used.NextEdge(t)) {
    steps.push_back({t, used.avl() - used.At(t)});
  }
  return Stretch(std::move(steps), end);
}

}  // namespace muster::packing
