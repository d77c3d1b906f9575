// Bits beyond the width stay zero, so that rows compare and count word by word.
#include "site/machine/bits.h"

namespace muster::machine {

Bits::Bits(size_t width, bool value)
    : width_(width), words_((width + 63) / 64, value ? ~uint64_t{0} : 0) {
  Trim();
}

void Bits::Trim() {
  if (width_ % 64 != 0) words_.back() &= (uint64_t{1} << (width_ % 64)) - 1;
}

bool Bits::Any() const {
  for (const uint64_t word : words_) {
    if (word != 0) return true;
  }
  return false;
}

size_t Bits::Count() const {
  size_t count = 0;
  for (const uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
  return count;
}

size_t Bits::First() const {
  for (size_t w = 0; w < words_.size(); ++w) {
    if (words_[w] != 0) return w * 64 + static_cast<size_t>(std::countr_zero(words_[w]));
  }
  return width_;
}

Bits& Bits::operator&=(const Bits& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  return *this;
}

Bits& Bits::operator|=(const Bits& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  return *this;
}

Bits& Bits::operator-=(const Bits& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  return *this;
}

bool Bits::Intersects(const Bits& other) const {
  for (size_t w = 0; w < words_.size(); ++w) {
    if ((words_[w] & other.words_[w]) != 0) return true;
  }
  return false;
}

bool Bits::Contains(const Bits& other) const {
  for (size_t w = 0; w < words_.size(); ++w) {
    if ((other.words_[w] & ~words_[w]) != 0) return false;
  }
  return true;
}

Bits Bits::Down(size_t by) const {
  Bits out(width_);
  const size_t skip = by / 64;
  const size_t rest = by % 64;
  for (size_t w = 0; w + skip < words_.size(); ++w) {
    out.words_[w] = words_[w + skip] >> rest;
    if (rest != 0 && w + skip + 1 < words_.size()) {
      out.words_[w] |= words_[w + skip + 1] << (64 - rest);
    }
  }
  return out;
}

Bits Bits::Up(size_t by) const {
  Bits out(width_);
  const size_t skip = by / 64;
  const size_t rest = by % 64;
  for (size_t w = skip; w < words_.size(); ++w) {
    out.words_[w] = words_[w - skip] << rest;
    if (rest != 0 && w > skip) out.words_[w] |= words_[w - skip - 1] >> (64 - rest);
  }
  if (width_ > 0) out.Trim();
  return out;
}

}  // namespace muster::machine
