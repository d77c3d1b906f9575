// Fences and the floor: which attempts can still be created. protocol.md sections 1 and 2
// (envelope). A fence needs no write, since its epoch was durable before the first was minted.
#pragma once

#include <set>

#include "base/ids.h"

namespace muster::verifier {

class FenceMint {
 public:
  FenceMint() = default;
  // The first fence of a new epoch. REQUIRES: the epoch is durable before any fence leaves the
  // process.
  explicit FenceMint(Epoch epoch) : epoch_(epoch) {}

  // A new fence, in HOLDING until Settle.
  Fence Mint() {
    const Fence fence{epoch_, ++last_};
    holding_.insert(fence);
    return fence;
  }
  // The attempt left HOLDING (C2, C3, C4): its hold cannot be created any more. Repeating is
  // harmless.
  void Settle(const Fence& fence) { holding_.erase(fence); }
  // Smallest fence still in HOLDING, else the next one to be made.
  Fence Floor() const { return holding_.empty() ? Fence{epoch_, last_ + 1} : *holding_.begin(); }
  Epoch epoch() const { return epoch_; }
  // Of this epoch and minted, or of an earlier one. Epoch 0 is that of local jobs.
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
