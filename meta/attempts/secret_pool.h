// Secrets for permits, drawn in advance: a core must not draw secrets itself, so the shell does,
// and a permit that finds none waits. protocol.md section 1.
#pragma once

#include <cstddef>
#include <vector>

#include "base/check.h"
#include "base/digest.h"

namespace muster::meta {

// Invariant: each secret is given out once.
class SecretPool {
 public:
  bool empty() const { return secrets_.empty(); }
  void Add(const std::vector<Secret>& drawn) {
    secrets_.insert(secrets_.end(), drawn.begin(), drawn.end());
  }
  // REQUIRES: the pool is not empty.
  Secret Draw() {
    MUSTER_CHECK(!secrets_.empty());
    const Secret secret = secrets_.back();
    secrets_.pop_back();
    return secret;
  }
  // Number of secrets to draw now; 0 if there are enough.
  size_t Wanted() const { return secrets_.size() < kLeast ? kFull - secrets_.size() : 0; }

 private:
  static constexpr size_t kLeast = 256;  // a turn may write this many permits without waiting
  static constexpr size_t kFull = 512;   // twice kLeast, so that drawing is rare

  std::vector<Secret> secrets_;
};

}  // namespace muster::meta
