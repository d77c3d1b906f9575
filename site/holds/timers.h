// When each hold needs a look next: on the boot clock for leases and D, on the plan clock for
// starts. Ordered, so that the cost of a turn depends on what is due and not on what is on record.
// protocol.md section 6.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "verifier/plan_clock.h"

namespace muster::site {

// Value type; one entry per hold and clock.
class Timers {
 public:
  // Replaces both entries of this hold; absent: no entry on that clock.
  void Set(const Fence& fence, std::optional<BootInstant> boot, std::optional<Moment> plan);
  void Clear(const Fence& fence) { Set(fence, std::nullopt, std::nullopt); }

  // Holds with an entry at or before now, each once, ascending. They stay until set anew.
  std::vector<Fence> Due(BootInstant boot, Moment plan) const;
  // The earliest entry of both clocks.
  std::optional<BootInstant> Next(const verifier::PlanClock& clock) const;

 private:
  struct Entry {
    std::optional<BootInstant> boot;
    std::optional<Moment> plan;
  };
  std::map<Fence, Entry> entries_;
  std::set<std::pair<BootInstant, Fence>> by_boot_;
  std::set<std::pair<Moment, Fence>> by_plan_;
};

}  // namespace muster::site
