// One map with two ordered indices.
#include "meta/waiting/committed_plan.h"

namespace muster::room {

void CommittedPlan::Set(const Fence& fence, Instant start, Instant end, bool of_block) {
  Erase(fence);
  entries_[fence] = {start, end, of_block};
  ends_.insert({end, fence});
  if (of_block) block_starts_.insert({start, fence});
}

bool CommittedPlan::Erase(const Fence& fence) {
  const auto it = entries_.find(fence);
  if (it == entries_.end()) return false;
  ends_.erase({it->second.end, fence});
  block_starts_.erase({it->second.start, fence});
  entries_.erase(it);
  return true;
}

std::optional<Instant> CommittedPlan::End() const {
  if (ends_.empty()) return std::nullopt;
  return ends_.rbegin()->first;
}

std::optional<Instant> CommittedPlan::LastBlockStart() const {
  if (block_starts_.empty()) return std::nullopt;
  return block_starts_.rbegin()->first;
}

}  // namespace muster::room
