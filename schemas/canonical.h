// The canonical form of every struct in schemas/ and its digest. protocol.md section 1: BLAKE2b-256
// over fields in schema order, little-endian, lengths before sequences, maps by key. Digests are
// stored with the values they cover and never recomputed from wire bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// Appends the canonical form of values to a byte string:
// - integers, enums: 8 bytes, little-endian, two's complement
// - bool: 1 byte
// - double: its 8 bytes
// - string: u64 length, then the bytes
// - vector, map: u64 length, then the elements (of a map: key, value)
// - optional: 1 byte, then the value if present
// - variant: u64 index, then the alternative
// - struct: its fields in order
class CanonicalWriter {
 public:
  const std::string& bytes() const { return bytes_; }

  void Put(bool v) { bytes_.push_back(v ? 1 : 0); }
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  void Put(T v) {
    PutInteger(static_cast<uint64_t>(static_cast<int64_t>(v)));
  }
  template <class T>
    requires std::is_enum_v<T>
  void Put(T v) {
    PutInteger(static_cast<uint64_t>(v));
  }
  void Put(double v);
  void Put(const std::string& v);
  template <class Tag>
  void Put(Id<Tag> v) {
    PutInteger(v.value);
  }
  void Put(const Fence& v) {
    Put(v.epoch);
    PutInteger(v.number);
  }
  void Put(Span v) { Put(v.seconds); }
  void Put(Instant v) { Put(v.seconds); }
  void Put(const Interval& v) {
    Put(v.begin);
    Put(v.end);
  }
  void Put(Moment v) { Put(v.milliseconds); }
  void Put(BootSpan v) { Put(v.milliseconds); }
  void Put(BootInstant v) { Put(v.milliseconds); }
  void Put(const Digest& v) { PutBytes(v.bytes); }
  void Put(const Secret& v) { PutBytes(v.bytes); }
  void Put(const ResourceSet& v);
  void Put(const IntervalSet& v);
  void Put(const std::map<std::string, std::string>& v);
  template <class T>
  void Put(const std::vector<T>& v) {
    PutInteger(v.size());
    for (const T& e : v) Put(e);
  }
  template <class T>
  void Put(const std::optional<T>& v) {
    Put(v.has_value());
    if (v) Put(*v);
  }
  template <class... T>
  void Put(const std::variant<T...>& v) {
    PutInteger(v.index());
    std::visit([this](const auto& e) { Put(e); }, v);
  }
  template <HasFields T>
  void Put(const T& v) {
    ForEachField(v, [this](const char*, const auto& field) { Put(field); });
  }

 private:
  void PutInteger(uint64_t v);
  void PutBytes(const std::array<uint8_t, 32>& v);
  std::string bytes_;
};

// BLAKE2b-256 of bytes. Needs no initialisation of libsodium.
Digest Hash(std::string_view bytes);

// Digest of a value's canonical form.
template <class T>
Digest DigestOf(const T& value) {
  CanonicalWriter writer;
  writer.Put(value);
  return Hash(writer.bytes());
}

// Next link of a digest chain: h_r = H(h_{r-1}, canonical change r).
template <class T>
Digest ChainDigest(const Digest& before, const T& change) {
  CanonicalWriter writer;
  writer.Put(before);
  writer.Put(change);
  return Hash(writer.bytes());
}

}  // namespace muster::schemas
