// Generates fences, and the floor below which no attempt can be created any more. protocol.md
// sections 1 and 2 (envelope). A fence needs no write of its own, because its epoch is durable
// before the first fence is minted.
#pragma once

#include <set>

#include "base/ids.h"

namespace muster::verifier {

class FenceMint {
 public:
  FenceMint() = default;
  // Starts the fences of a new epoch. REQUIRES: the epoch is durable before any fence leaves the
  // process.
  explicit FenceMint(Epoch epoch) : epoch_(epoch) {}

  // Makes a new fence. It counts as HOLDING until Settle is called for it.
  Fence Mint() {
    const Fence fence{epoch_, ++last_};
    holding_.insert(fence);
    return fence;
  }
  // The attempt has left HOLDING (C2, C3, C4), so the floor may pass its fence. Idempotent.
  void Settle(const Fence& fence) { holding_.erase(fence); }
  // The smallest fence still in HOLDING, else the next one to be minted.
  Fence Floor() const { return holding_.empty() ? Fence{epoch_, last_ + 1} : *holding_.begin(); }
  Epoch epoch() const { return epoch_; }
  // Whether the fence was minted in this epoch or belongs to an earlier one. False for epoch 0,
  // which belongs to local jobs.
  bool Made(const Fence& fence) const {
    if (fence.epoch.value == 0 || fence.number == 0) return false;
    return fence.epoch < epoch_ || (fence.epoch == epoch_ && fence.number <= last_);
  }

 private:
  Epoch epoch_;
  uint64_t last_ = 0;
  std::set<Fence> holding_;
};

}  // namespace muster::verifier
