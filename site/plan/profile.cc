// What a plan reports to the meta: amounts per node class, never a node (scheduling.md section 1).
#include <algorithm>
#include <set>

#include "base/check.h"
#include "site/plan/plan.h"

namespace muster::plan {

uint32_t Plan::UsableIn(uint32_t node_class) const {
  const std::vector<uint32_t>& nodes = machine_->classes()[node_class].nodes;
  return static_cast<uint32_t>(
      std::count_if(nodes.begin(), nodes.end(), [this](uint32_t n) { return usable_[n]; }));
}

int64_t Plan::FreeAt(uint32_t node, uint32_t resource, Instant t) const {
  const int64_t used = occupancy_.Of(node, resource).At(t);
  return std::max<int64_t>(occupancy_.Capacity(node, resource) - used, 0);
}

ResourceSet Plan::FreeNow(Instant now) const {
  ResourceSet out;
  // If sums are exact, subtracts the nodes out of use from them; else adds up the nodes in use.
  const bool sums = occupancy_.SumsAreExact();
  for (uint32_t r = 0; r < machine_->resource_count(); ++r) {
    int64_t free = sums ? occupancy_.System(r).avl() - occupancy_.System(r).At(now) : 0;
    for (uint32_t n = 0; n < machine_->node_count(); ++n) {
      if (usable_[n] != sums) free += (sums ? -1 : 1) * FreeAt(n, r, now);
    }
    out.Set(machine_->resource(r), free);
  }
  return out;
}

std::vector<FreeStep> Plan::ProfileWithoutMeta(Instant now, size_t steps) const {
  MUSTER_CHECK(steps >= 3);
  std::vector<Instant> from{now};
  for (const std::vector<rusv::Rusv>& used : local_) {
    for (const rusv::Rusv& rusv : used) {
      for (Instant t = rusv.NextEdge(now); t < kFarFuture; t = rusv.NextEdge(t)) from.push_back(t);
    }
  }
  std::sort(from.begin(), from.end());
  from.erase(std::unique(from.begin(), from.end()), from.end());
  // The last step has no end and stays exact; what lies between it and the first ones becomes one
  // step.
  const Instant last = from.back();
  if (from.size() > steps) {
    from.resize(steps - 1);
    from.push_back(last);
  }
  std::vector<FreeStep> out;
  for (size_t i = 0; i < from.size(); ++i) {
    const Instant end = i + 1 < from.size() ? from[i + 1] : kFarFuture;
    FreeStep& step = out.emplace_back(FreeStep{from[i], {}});
    for (size_t c = 0; c < local_.size(); ++c) {
      ResourceSet& free = step.free.emplace_back();
      for (uint32_t r = 0; r < machine_->resource_count(); ++r) {
        int64_t amount = local_[c][r].FreeIn(from[i], end);
        for (const uint32_t node : machine_->classes()[c].nodes) {
          const int64_t out = usable_[node] ? occupancy_.Capacity(node, r) : 0;
          amount -= machine_->Amount(node, r) - out;
        }
        free.Set(machine_->resource(r), std::max<int64_t>(amount, 0));
      }
    }
  }
  return out;
}

}  // namespace muster::plan
