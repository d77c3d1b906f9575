// A 256-bit digest or secret as a value. schemas/canonical.h computes digests.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace muster {

struct Digest {
  std::array<uint8_t, 32> bytes{};
  auto operator<=>(const Digest&) const = default;
};

// 256 random bits that must never be printed, such as the key that the parts of a job share
// (MUSTER_SECRET_FILE).
struct Secret {
  std::array<uint8_t, 32> bytes{};
  auto operator<=>(const Secret&) const = default;
};

inline std::string ToHex(const uint8_t* data, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * size);
  for (size_t i = 0; i < size; ++i) {
    out += kDigits[data[i] >> 4];
    out += kDigits[data[i] & 15];
  }
  return out;
}
inline std::string ToHex(const Digest& digest) {
  return ToHex(digest.bytes.data(), digest.bytes.size());
}

}  // namespace muster
