// A row of bits, one per unit of a machine: which units are free, or busy, over a stretch of time
// (scheduling.md section 8). REQUIRES that rows which are combined have the same width.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace muster::machine {

class Bits {
 public:
  Bits() = default;
  explicit Bits(size_t width, bool value = false);

  size_t width() const { return width_; }
  bool Test(size_t at) const { return ((words_[at / 64] >> (at % 64)) & 1) != 0; }
  void Set(size_t at) { words_[at / 64] |= uint64_t{1} << (at % 64); }
  void Clear(size_t at) { words_[at / 64] &= ~(uint64_t{1} << (at % 64)); }
  bool Any() const;
  size_t Count() const;
  // Index of the lowest set bit, or the width.
  size_t First() const;

  Bits& operator&=(const Bits& other);
  Bits& operator|=(const Bits& other);
  // Clears the bits that are set in `other`.
  Bits& operator-=(const Bits& other);
  bool Intersects(const Bits& other) const;
  bool Contains(const Bits& other) const;
  // Bit i of the result is bit i + by (Down) or i - by (Up) of this row, or 0 if there is none.
  Bits Down(size_t by) const;
  Bits Up(size_t by) const;
  bool operator==(const Bits& other) const = default;

  // Calls visit(index) for each set bit, ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(w * 64 + static_cast<size_t>(std::countr_zero(word)));
      }
    }
  }

 private:
  void Trim();

  size_t width_ = 0;
  absl::InlinedVector<uint64_t, 4> words_;
};

inline Bits operator&(Bits a, const Bits& b) { return std::move(a &= b); }
inline Bits operator|(Bits a, const Bits& b) { return std::move(a |= b); }
inline Bits operator-(Bits a, const Bits& b) { return std::move(a -= b); }

}  // namespace muster::machine
