// Writes integers explicitly little-endian, so that every machine computes the same digest.
#include "schemas/canonical.h"

#include <sodium.h>

#include <cstring>

namespace muster::schemas {

void CanonicalWriter::PutInteger(uint64_t v) {
  char raw[8];
  for (int i = 0; i < 8; ++i) raw[i] = static_cast<char>((v >> (8 * i)) & 0xff);
  bytes_.append(raw, sizeof raw);
}

void CanonicalWriter::PutBytes(const std::array<uint8_t, 32>& v) {
  bytes_.append(reinterpret_cast<const char*>(v.data()), v.size());
}

void CanonicalWriter::Put(double v) {
  uint64_t raw;
  static_assert(sizeof raw == sizeof v);
  std::memcpy(&raw, &v, sizeof raw);
  PutInteger(raw);
}

void CanonicalWriter::Put(const std::string& v) {
  PutInteger(v.size());
  bytes_.append(v);
}

void CanonicalWriter::Put(const ResourceSet& v) {
  PutInteger(v.entries().size());
  for (const auto& [name, amount] : v.entries()) {
    Put(name);
    Put(amount);
  }
}

void CanonicalWriter::Put(const IntervalSet& v) {
  PutInteger(v.intervals().size());
  for (const Interval& i : v.intervals()) {
    Put(i.begin);
    Put(i.end);
  }
}

void CanonicalWriter::Put(const std::map<std::string, std::string>& v) {
  PutInteger(v.size());
  for (const auto& [key, value] : v) {
    Put(key);
    Put(value);
  }
}

Digest Hash(std::string_view bytes) {
  Digest out;
  crypto_generichash(out.bytes.data(), out.bytes.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return out;
}

}  // namespace muster::schemas
