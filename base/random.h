// The seeded random generator of simulations, back-off and tests: the same seed gives the same
// numbers on every machine. Never use it for secrets; base/io/entropy.h makes those.
#pragma once

#include <cstdint>

namespace muster {

// SplitMix64. Copyable, so a copied core draws the same numbers.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, n). REQUIRES n > 0. The bias is below n / 2^64.
  uint64_t Below(uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(Next()) * n) >> 64);
  }
  // Uniform in [low, high], both ends included. REQUIRES low <= high.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  // True with probability of_thousand / 1,000.
  bool Chance(uint32_t of_thousand) { return Below(1000) < of_thousand; }

 private:
  uint64_t state_;
};

// Combines two seeds into one, deterministically.
inline uint64_t Mixed(uint64_t a, uint64_t b) {
  return Random(a ^ (b * 0x9e3779b97f4a7c15u)).Next();
}

}  // namespace muster
