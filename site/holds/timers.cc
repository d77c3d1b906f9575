// See timers.h.
#include "site/holds/timers.h"

#include <algorithm>

namespace muster::site {

void Timers::Set(const Fence& fence, std::optional<BootInstant> boot, std::optional<Moment> plan) {
  const auto it = entries_.find(fence);
  if (it != entries_.end()) {
    if (it->second.boot == boot && it->second.plan == plan) return;
    if (it->second.boot) by_boot_.erase({*it->second.boot, fence});
    if (it->second.plan) by_plan_.erase({*it->second.plan, fence});
    entries_.erase(it);
  }
  if (!boot && !plan) return;
  entries_.emplace(fence, Entry{boot, plan});
  if (boot) by_boot_.emplace(*boot, fence);
  if (plan) by_plan_.emplace(*plan, fence);
}

std::vector<Fence> Timers::Due(BootInstant boot, Moment plan) const {
  std::set<Fence> due;
  for (const auto& [at, fence] : by_boot_) {
    if (at > boot) break;
    due.insert(fence);
  }
  for (const auto& [at, fence] : by_plan_) {
    if (at > plan) break;
    due.insert(fence);
  }
  return {due.begin(), due.end()};
}

std::optional<BootInstant> Timers::Next(const verifier::PlanClock& clock) const {
  std::optional<BootInstant> next;
  if (!by_boot_.empty()) next = by_boot_.begin()->first;
  if (!by_plan_.empty()) {
    const BootInstant plan = clock.When(by_plan_.begin()->first);
    next = next ? std::min(*next, plan) : plan;
  }
  return next;
}

}  // namespace muster::site
