// Secrets for permits, drawn before they are needed: a core has no randomness of its own, so the
// shell draws them and a permit that finds none waits. protocol.md section 1.
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
  // REQUIRES: it is not empty.
  Secret Draw() {
    MUSTER_CHECK(!secrets_.empty());
    const Secret secret = secrets_.back();
    secrets_.pop_back();
    return secret;
  }
  // How many are to be drawn now; 0: there are enough.
  size_t Wanted() const { return secrets_.size() < kLeast ? kFull - secrets_.size() : 0; }

 private:
  static constexpr size_t kLeast = 256;  // a turn may write as many permits without waiting
  static constexpr size_t kFull = 512;   // twice that, so that drawing is seldom

  std::vector<Secret> secrets_;
};

}  // namespace muster::meta
