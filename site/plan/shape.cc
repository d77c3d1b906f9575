// The cache is simply cleared when it is full: usually a few lists of hosts are used again and
// again.
#include "site/plan/shape.h"

#include <algorithm>

namespace muster::plan {
namespace {

__extension__ using Wide = __int128;

}  // namespace

const HostList* HostLists::Find(const Key& key) const {
  const auto it = known_.find(key);
  return it == known_.end() ? nullptr : &it->second;
}

void HostLists::Keep(Key key, HostList hosts) {
  if (known_.size() >= kMost) known_.clear();
  known_.emplace(std::move(key), std::move(hosts));
}

bool MayFit(const std::vector<std::pair<uint32_t, int64_t>>& needs, const MostFree& most) {
  return std::all_of(needs.begin(), needs.end(), [&most](const auto& need) {
    return need.first >= most.size() || need.second <= most[need.first];
  });
}

int64_t SaturatingProduct(int64_t a, int64_t b) {
  const Wide product = Wide{a} * b;
  return product > INT64_MAX ? INT64_MAX : static_cast<int64_t>(product);
}

}  // namespace muster::plan
